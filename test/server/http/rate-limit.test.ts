import { expect, it } from 'vitest'
import { createTestApi, type TestPartner } from '../../support/api.ts'

const asks = (partner: TestPartner, times: number) =>
  Promise.all(Array.from({ length: times }, () => partner.call('GET', '/device/NONE-1')))
const refused = (answers: { status: number }[]) => answers.filter((answer) => answer.status === 429).length

it('lets a partner ask 200 times at once and then 50 times a second', async () => {
  const api = createTestApi()
  const partner = await api.partner()
  expect(refused(await asks(partner, 200))).toBe(0)
  const [answer] = await asks(partner, 1)
  expect(answer?.body).toMatchObject({ code: 42900, error: 'RATE_LIMITED' })
  expect(answer?.headers.get('Retry-After')).toBe('1')
  await api.clock.wind(1_000)
  expect(refused(await asks(partner, 60))).toBe(10)
  await api.clock.wind(60_000)
  expect(refused(await asks(partner, 210))).toBe(10)
})

it("never refuses the callback, and leaves other partners' limits alone", async () => {
  const api = createTestApi()
  const partner = await api.partner()
  await partner.register(await api.device('SB-0001'))
  expect(refused(await asks(partner, 300))).toBeGreaterThan(0)
  const paid = await Promise.all(Array.from({ length: 300 }, (_, i) => partner.pay({ ftCode: `FT${i}` })))
  expect(paid.every((answer) => answer.status === 200)).toBe(true)
  expect(refused(await asks(await api.partner('Other'), 200))).toBe(0)
})

it('does not make callbacks use up what other requests may', async () => {
  const api = createTestApi()
  const partner = await api.partner()
  await Promise.all(Array.from({ length: 300 }, () => partner.pay()))
  expect(refused(await asks(partner, 200))).toBe(0)
})
