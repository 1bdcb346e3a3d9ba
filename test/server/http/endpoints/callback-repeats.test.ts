import { describe, expect, it } from 'vitest'
import { callbackWorld } from './callback-world.ts'

describe('a payment that is reported again', () => {
  it('gets the first body with Idempotent-Replayed, and is neither announced nor counted again', async () => {
    const { api, partner, spoken, totals } = await callbackWorld()
    const first = await partner.pay()
    await api.clock.wind(100 * 24 * 60 * 60_000)
    await partner.logIn()
    const { body, headers, status } = await partner.pay()
    expect(status).toBe(200)
    expect(body).toEqual(first.body)
    expect(headers.get('Idempotent-Replayed')).toBe('true')
    expect(await spoken()).toEqual(['50000'])
    expect(await totals()).toEqual(['1', '50000'])
  })

  it('is the same payment when its date is written in another format', async () => {
    const { partner } = await callbackWorld()
    await partner.pay()
    const again = await partner.pay({ payDate: '2026-11-20T10:00:00+07:00' })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  })

  it.each([
    ['transactionAmount', '60000'],
    ['billNumber', 'HD9'],
    ['notice', 'other'],
    ['payDate', '2026-11-20T03:00:01.000Z'],
    ['traceTransfer', '1'],
  ])('with another %s is a conflict and changes nothing', async (field, value) => {
    const { partner, spoken, totals } = await callbackWorld()
    await partner.pay()
    const answer = await partner.pay({ [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 40018, error: 'TRANSACTION_CONFLICT' })
    expect(await spoken()).toEqual(['50000'])
    expect(await totals()).toEqual(['1', '50000'])
  })

  it('is identified by traceTransfer and payDate without an ftCode', async () => {
    const { partner, totals } = await callbackWorld()
    const bare = { ftCode: '', payDate: '2026-11-20T03:00:00Z' }
    await partner.pay(bare)
    const replayed = await partner.pay({ ...bare, payDate: '2026-11-20T10:00:00.000' })
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await partner.pay({ ...bare, payDate: '2026-11-20T03:00:01Z' })).status).toBe(200)
    expect(await totals()).toEqual(['2', '100000'])
    expect((await partner.pay({ ...bare, transactionAmount: '1' })).body).toMatchObject({
      ...{ code: 40018 },
      details: [{ field: 'traceTransfer' }],
    })
  })
})
