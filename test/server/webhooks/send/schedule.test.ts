import { describe, expect, it } from 'vitest'
import { afterAttempt, DELAYS_MS, delayMs } from '../../../../server/webhooks/send/endpoint/schedule.ts'
import type { Attempt, Delivery } from '../../../../server/webhooks/webhook.ts'
import { randomFrom } from '../../../support/random.ts'

const HOUR = 3_600_000
const middle = () => 0.5
const fresh: Delivery = {
  ...{ webhookId: 'wh_1', seq: 1, eventId: 'evt_1', type: 'device.locked', state: 'pending' },
  ...{ step: 0, nextAt: undefined, attempts: [] },
}
const attempt = (status: number | undefined, at = 0, ms = 100): Attempt => ({
  ...{ at, ms, status, error: undefined, reply: '' },
})

/** A delivery that only fails. */
function afterFailures(failures: number): Delivery {
  let delivery = fresh
  for (let n = 0; n < failures; n += 1)
    delivery = afterAttempt(delivery, attempt(500, delivery.nextAt ?? 0), undefined, middle)
  return delivery
}

describe('the schedule of a delivery', () => {
  it('is at once, 5 s, 1, 5 and 30 min, then 2, 5, 10, 14, 20 and 24 h', () => {
    const starts = DELAYS_MS.map((_, n) => afterFailures(n)).map(({ nextAt }) => nextAt ?? 0)
    const gaps = starts.map((at, n) => (n === 0 ? 0 : at - (starts[n - 1] ?? 0) - 100))
    expect(gaps).toEqual([
      ...[0, 5_000, 60_000, 300_000, 1_800_000],
      ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
    ])
  })

  it('ends with the eleventh attempt: failed, and not tried again', () => {
    expect(afterFailures(10)).toMatchObject({ state: 'pending', step: 10 })
    const last = afterFailures(11)
    expect(last).toMatchObject({ state: 'failed', step: 11, nextAt: undefined })
    expect(last.attempts).toHaveLength(11)
  })

  it('has delays that differ by up to a tenth', () => {
    expect([() => 0, middle, () => 1 - Number.EPSILON].map((random) => delayMs(1, random))).toEqual([
      4_500, 5_000, 5_500,
    ])
    const random = randomFrom(1)
    for (let n = 0; n < 1_000; n += 1)
      expect(Math.abs(delayMs(10, random) - 24 * HOUR)).toBeLessThanOrEqual(2.4 * HOUR)
    expect(delayMs(99, middle)).toBe(24 * HOUR)
  })

  it.each([200, 201, 204, 299])('ends with status %i: delivered', (status) => {
    expect(afterAttempt(afterFailures(3), attempt(status), undefined, middle)).toMatchObject({
      ...{ state: 'delivered', step: 4, nextAt: undefined },
    })
  })

  it.each([199, 300, 302, 304, 400, 404, 410, 429, 500, undefined])('goes on after status %s', (status) => {
    expect(afterAttempt(fresh, attempt(status), undefined, middle)).toMatchObject({
      state: 'pending',
      step: 1,
    })
  })

  it('waits as long as Retry-After says; a shorter time uses up no step of the schedule', () => {
    const retried = (askedMs: number) => {
      const { state, step, nextAt } = afterAttempt(fresh, attempt(503, 1_000), askedMs, middle)
      return [state, step, nextAt]
    }
    expect(retried(120_000)).toEqual(['pending', 1, 121_100])
    expect(retried(1_000)).toEqual(['pending', 0, 2_100])
    expect(retried(0)).toEqual(['pending', 0, 1_100])
  })

  it('keeps the newest 20 attempts, each with its reply', () => {
    const answered = (at: number) => ({ ...attempt(500, at), reply: `${at}` })
    const old = Array.from({ length: 20 }, (_, at) => answered(at))
    const { attempts } = afterAttempt({ ...fresh, attempts: old }, answered(20), undefined, middle)
    expect(attempts).toEqual(Array.from({ length: 20 }, (_, n) => answered(n + 1)))
  })
})
