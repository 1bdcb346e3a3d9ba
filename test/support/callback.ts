import { createHmac } from 'node:crypto'
import type { CallbackFields } from '../../simulator/run/hub/partner-client.ts'

export const CALLBACK: CallbackFields = {
  terminalID: 'T-01',
  bankCode: 'MB',
  billNumber: '',
  transactionAmount: '50000',
  notice: 'Cà phê & bánh mì * ~ !',
  payDate: '2026-11-20T03:00:00.000Z',
  traceTransfer: '104233',
  ftCode: 'FT0001',
}

/** The checksum of the interface document, section 6. It shares no code with the hub. */
export function checksumOf(
  secret: string,
  fields: Partial<Record<keyof CallbackFields, string | null>>,
): string {
  const { terminalID, bankCode, billNumber, transactionAmount, notice, payDate, traceTransfer, ftCode } =
    fields
  const text = new URLSearchParams({
    terminalID: terminalID ?? '',
    bankCode: bankCode ?? '',
    billNumber: billNumber ?? '',
    transactionAmount: transactionAmount ?? '',
    notice: notice ?? '',
    payDate: payDate ?? '',
    traceTransfer: traceTransfer ?? '',
    ftCode: ftCode ?? '',
  })
  return createHmac('sha256', secret).update(text.toString()).digest('hex')
}

/** A whole callback, signed. */
export function signedCallback(secret: string, changes: Partial<CallbackFields> = {}) {
  const fields = { ...CALLBACK, ...changes }
  return { ...fields, checkSum: checksumOf(secret, fields) }
}
