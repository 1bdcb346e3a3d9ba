import { expect, it } from 'vitest'
import { benchWebhook } from '../../bench/webhook.ts'

const TINY = { shops: 2, rates: [{ perSecond: 100, seconds: 0.2 }], saturated: 20, warmUp: 1, rounds: 1 }

it('measures what a webhook costs a hub, beside a hub without one', async () => {
  const figures = await benchWebhook(TINY)
  const measured = new Map(figures.map((figure) => [figure.what, figure]))
  expect([...measured.keys()]).toEqual(
    expect.arrayContaining([
      'callback p50, at 100/s',
      'callback to stored "played", saturated',
      'events delivered, saturated',
    ]),
  )
  const paid = measured.get('callback to stored "played", saturated')
  expect(paid?.peer).toBe('without a webhook')
  const deliveries = measured.get('events delivered, saturated')
  for (const value of [paid?.value, paid?.peerValue, deliveries?.value])
    expect(Number.parseFloat(value ?? '')).toBeGreaterThan(0)
})
