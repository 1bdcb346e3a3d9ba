import { describe, expect, it } from 'vitest'
import { OPERATOR } from '../../../support/actors.ts'
import { stringAt } from '../../../support/api.ts'
import { CALLBACK, checksumOf, signedCallback } from '../../../support/callback.ts'
import { callbackWorld } from './callback-world.ts'

describe('an accepted callback', () => {
  it('answers with the static QR for a payment without a bill', async () => {
    const { partner, storeId } = await callbackWorld()
    const answer = await partner.pay()
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), storeId, billNumber: '', qrcode: 'static text' },
      ...{ bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: '0123456789' },
      bankAccountName: 'NGUYEN VAN A',
    })
    expect(answer.headers.has('Idempotent-Replayed')).toBe(false)
    const transaction = await partner.call('GET', '/payment/transactions/FT0001')
    expect(stringAt(transaction, 'id')).toBe(stringAt(answer, 'id'))
  })

  it("answers with the bill's record when the bill is known", async () => {
    const { partner, bill, outcome } = await callbackWorld()
    const record = await bill('HD001')
    expect((await partner.pay({ billNumber: 'HD001' })).body).toEqual(record.body)
    expect(await outcome()).toBe('bill_paid')
  })

  it('announces and counts the paid amount', async () => {
    const { partner, spoken, totals } = await callbackWorld()
    await partner.pay({ transactionAmount: '9999999999999' })
    expect(await spoken()).toEqual(['9999999999999'])
    expect(await totals()).toEqual(['1', '9999999999999'])
  })

  it('announces a payment of another amount with its own amount, and leaves the bill open', async () => {
    const { partner, bill, spoken, outcome } = await callbackWorld()
    await bill('HD001')
    expect((await partner.pay({ billNumber: 'HD001', transactionAmount: '49999' })).status).toBe(200)
    expect(await spoken()).toEqual(['49999'])
    expect(await outcome()).toBe('amount_mismatch')
    await partner.pay({ billNumber: 'HD001', ftCode: 'FT0002' })
    expect(await outcome('FT0002')).toBe('bill_paid')
  })

  it('does not wait for a speaker that does not respond', async () => {
    const { partner, device } = await callbackWorld()
    device.obeys = 'silent'
    expect((await partner.pay()).status).toBe(200)
  })
})

describe('the checksum', () => {
  it('is also accepted with payDate as its toISOString()', async () => {
    const { partner, send } = await callbackWorld()
    const signed = signedCallback(partner.clientSecret)
    expect((await send({ ...signed, payDate: '2026-11-20T10:00:00+07:00' })).status).toBe(200)
  })

  it('covers the strings exactly as received, neither trimmed nor normalised', async () => {
    const { partner, send } = await callbackWorld()
    const fields = { ...CALLBACK, notice: '  cà phê\tđá\n ', billNumber: ' b ' }
    expect((await send({ ...fields, checkSum: checksumOf(partner.clientSecret, fields) })).status).toBe(200)
    const trimmed = { ...fields, ftCode: 'FT0002', notice: fields.notice.trim() }
    const wrong = checksumOf(partner.clientSecret, { ...trimmed, notice: fields.notice })
    expect((await send({ ...trimmed, checkSum: wrong })).body).toMatchObject({ code: 40014 })
  })

  it('is accepted under both secrets during a rotation', async () => {
    const { api, partner, send } = await callbackWorld()
    const { clientId } = partner
    await api.storage.partners.rotateSecret(
      OPERATOR,
      clientId,
      'sbs_new',
      api.clock.now(),
      api.clock.now() + 60_000,
    )
    expect((await partner.pay()).status).toBe(200)
    expect((await send(signedCallback('sbs_new', { ftCode: 'FT0002' }))).status).toBe(200)
    await api.clock.wind(60_000)
    expect((await partner.pay({ ftCode: 'FT0003' })).body).toMatchObject({ code: 40014 })
  })

  it('names the known mistake behind a wrong checksum', async () => {
    const { partner, send } = await callbackWorld()
    const { createHmac } = await import('node:crypto')
    const text = Object.entries(CALLBACK).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const checkSum = createHmac('sha256', partner.clientSecret).update(text.join('&')).digest('hex')
    expect(JSON.stringify((await send({ ...CALLBACK, checkSum })).body)).toContain('%20')
  })

  it("of another partner's secret is wrong", async () => {
    const { api, send } = await callbackWorld()
    const other = await api.partner('Other')
    expect(await send(signedCallback(other.clientSecret))).toMatchObject({
      status: 400,
      body: { code: 40014, error: 'CHECKSUM_MISMATCH', details: [{ field: 'checkSum' }] },
    })
  })
})

describe('the order of the checks', () => {
  // Each row breaks one more check than the row after it: the first failing check decides the error.
  const BIG = 'x'.repeat(17_000)
  const rows: [string, { token?: string; type?: string; body: unknown }, number][] = [
    ['who asks', { token: 'bad', type: 'text/plain', body: BIG }, 40101],
    ['how large it is', { type: 'text/plain', body: BIG }, 41300],
    ['of what type', { type: 'text/plain', body: '{' }, 41500],
    ['whether it is JSON', { body: '{' }, 40000],
    ['whether it is an object', { body: '[]' }, 40000],
    ['whether its fields are valid', { body: { ...CALLBACK, transactionAmount: 5, checkSum: 'x' } }, 40001],
    [
      'whether its date is possible',
      { body: { ...CALLBACK, payDate: '2026-11-22T03:00:00Z', checkSum: 'x' } },
      40001,
    ],
    ['whether it is signed', { body: { ...CALLBACK, terminalID: 'T-99', checkSum: 'x' } }, 40014],
  ]
  it.each(rows)('is: %s', async (_, { token, type, body }, code) => {
    const { send } = await callbackWorld()
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(type !== undefined && { 'Content-Type': type }),
    }
    expect((await send(body, headers)).body).toMatchObject({ code })
  })

  it('checks the store before it looks for a duplicate', async () => {
    const { partner } = await callbackWorld()
    await partner.pay()
    expect((await partner.pay({ terminalID: 'T-99' })).body).toMatchObject({
      ...{ code: 40016, error: 'STORE_NOT_FOUND' },
      details: [{ field: 'terminalID' }],
    })
  })

  it('checks the checksum before it looks for a duplicate', async () => {
    const { partner, send } = await callbackWorld()
    await partner.pay()
    expect((await send({ ...CALLBACK, checkSum: 'x' })).body).toMatchObject({ code: 40014 })
  })
})
