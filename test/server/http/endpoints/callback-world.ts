import { createTestShop, stringAt } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

/** A partner with one registered speaker and its payments. */
export async function callbackWorld() {
  const { api, partner, device, storeId } = await createTestShop({}, { staticQRCode: 'static text' })
  const send = (body: unknown, headers = {}) => partner.call('POST', '/payment/callback', body, headers)
  const bill = (billNumber: string, transactionAmount = '50000') =>
    partner.call('POST', '/payment/dynamic-qr', {
      storeId,
      billNumber,
      transactionAmount,
      qrcode: 'bill text',
    })
  const totals = async () => {
    const { body } = await partner.call('GET', '/device/SB-0001')
    const { totalTransaction, totalAmount } = Object(body).stores[0]
    return [totalTransaction, totalAmount]
  }
  const spoken = async () => {
    await settle()
    return device.heard.flatMap((command) => (command.t === 'announce' ? [command.d.amount] : []))
  }
  const outcome = async (ftCode = 'FT0001') =>
    stringAt(await partner.call('GET', `/payment/transactions/${ftCode}`), 'outcome')
  return { api, partner, device, storeId, send, bill, totals, spoken, outcome }
}
