import { describe, expect, it } from 'vitest'
import { buildDynamicQr } from '../../../../protocol/vietqr/build.ts'
import { parseVietQr } from '../../../../protocol/vietqr/parse.ts'
import { STATIC_QR, unwrap } from '../../../protocol/vietqr/samples.ts'
import { createTestShop, stringAt } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const QR_OF_50000 = unwrap(buildDynamicQr(STATIC_QR, { amount: '50000', bill: 'HD001' }))
const BILL = { billNumber: 'HD001', transactionAmount: '50000' }
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

async function world(registration: Record<string, unknown> = { staticQRCode: STATIC_QR }) {
  const { api, partner, device, storeId } = await createTestShop({}, registration)
  const create = (changes: object = {}) =>
    partner.call('POST', '/payment/dynamic-qr', { storeId, ...BILL, ...changes })
  const shown = async () => {
    await settle()
    return device.heard.findLast((command) => command.t === 'qr' || command.t === 'clear')
  }
  return { api, partner, device, storeId, create, shown }
}

describe('creating a dynamic QR', () => {
  it('answers 201 with the record only', async () => {
    const { storeId, create } = await world()
    const answer = await create({ qrcode: 'any text' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...{ id: UUID, storeId, billNumber: 'HD001', qrcode: 'any text' },
      ...{ bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: '0123456789' },
      bankAccountName: 'NGUYEN VAN A',
    })
  })

  it("shows it on the store's speaker", async () => {
    const { create, shown } = await world()
    await create({ qrcode: 'any text' })
    expect(await shown()).toMatchObject({ t: 'qr', d: { qr: 'any text', amount: '50000', bill: 'HD001' } })
  })

  it.each([[undefined], [''], [null]])(
    "builds it from the store's static QR when qrcode is %j",
    async (qrcode) => {
      const { create } = await world()
      const answer = await create({ qrcode })
      expect(answer.status).toBe(201)
      const read = parseVietQr(stringAt(answer, 'qrcode'))
      expect(read).toMatchObject({ ok: true, value: { amount: '50000' } })
      expect(stringAt(answer, 'qrcode')).toContain('010212')
      expect(stringAt(answer, 'qrcode')).toContain('0105HD001')
    },
  )

  it.each([
    ['no static QR', {}, 'has no static QR'],
    ['one that is not EMVCo', { staticQRCode: 'opaque' }, "from the store's static QR ("],
  ])('requires qrcode when the store has %s', async (_, registration, why) => {
    const { create } = await world(registration)
    expect(await create()).toMatchObject({
      status: 400,
      body: { code: 40001, details: [{ field: 'qrcode', issue: expect.stringContaining(why) }] },
    })
  })

  it('refuses a bill number that does not fit into a QR that the hub builds', async () => {
    const { create } = await world()
    const answer = await create({ billNumber: 'B'.repeat(26) })
    expect(answer.body).toMatchObject({ code: 40001, details: [{ field: 'billNumber' }] })
  })

  it('refuses a QR with another amount', async () => {
    const { create } = await world()
    expect((await create({ qrcode: QR_OF_50000 })).status).toBe(201)
    const answer = await create({ qrcode: QR_OF_50000, transactionAmount: '50001' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 40020,
      error: 'QR_AMOUNT_MISMATCH',
      details: [{ field: 'qrcode' }],
    })
  })

  it('treats an EMVCo text with a wrong CRC as opaque', async () => {
    const { create } = await world()
    const qrcode = `${QR_OF_50000.slice(0, -4)}0000`
    expect((await create({ qrcode, transactionAmount: '50001' })).status).toBe(201)
  })
})

describe('a repeated bill', () => {
  it('is updated and shown again while it is unpaid', async () => {
    const { create, shown } = await world()
    const first = await create({ qrcode: 'first' })
    const second = await create({ qrcode: 'second', transactionAmount: '60000' })
    expect(second.status).toBe(201)
    expect(stringAt(second, 'id')).toBe(stringAt(first, 'id'))
    expect(await shown()).toMatchObject({ d: { qr: 'second', amount: '60000' } })
  })

  it('is refused after it is paid', async () => {
    const { partner, create, shown } = await world()
    await create()
    expect((await partner.pay({ billNumber: 'HD001' })).status).toBe(200)
    expect(await shown()).toMatchObject({ t: 'clear', d: { what: 'qr' } })
    for (const changes of [{}, { transactionAmount: '70000', qrcode: 'x' }]) {
      const again = await create(changes)
      expect(again.status).toBe(400)
      expect(again.body).toMatchObject({
        code: 40019,
        error: 'BILL_ALREADY_PAID',
        details: [{ field: 'billNumber' }],
      })
    }
  })
})
