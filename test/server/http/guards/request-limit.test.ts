import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRequestLimit } from '../../../../server/http/guards/limits.ts'
import type { BucketSize } from '../../../../server/platform/token-buckets.ts'
import { createVirtualClock } from '../../../support/clock.ts'

function world(rate: BucketSize = { perSecond: 50, burst: 200 }) {
  let elapsed = 0
  const clock = createVirtualClock()
  const limit = createRequestLimit({ ...clock, elapsed: () => elapsed }, rate)
  const wind = (ms: number) => {
    elapsed += ms
  }
  const allowed = (times: number, clientId = 'acme') =>
    Array.from({ length: times }, () => limit.take(clientId)).filter((one) => one.allowed).length
  return { clock, limit, wind, allowed }
}

describe('the limit on requests', () => {
  it('lets a burst through at once, then as many as grow back', () => {
    const { wind, allowed } = world()
    expect(allowed(250)).toBe(200)
    wind(1_000)
    expect(allowed(100)).toBe(50)
    wind(20)
    expect(allowed(2)).toBe(1)
    wind(3_600_000)
    expect(allowed(250)).toBe(200)
  })

  it('says what is left, and in how many seconds that will be more', () => {
    const { limit, wind } = world({ perSecond: 0.2, burst: 2 })
    expect(limit).toMatchObject({ rate: { burst: 2 }, windowS: 10 })
    expect(limit.take('acme')).toEqual({ allowed: true, remaining: 1, nextInS: 5 })
    expect(limit.take('acme')).toEqual({ allowed: true, remaining: 0, nextInS: 5 })
    wind(1_500)
    expect(limit.take('acme')).toEqual({ allowed: false, remaining: 0, nextInS: 4 })
    wind(3_500)
    expect(limit.take('acme')).toEqual({ allowed: true, remaining: 0, nextInS: 5 })
  })

  it('counts each partner on its own', () => {
    const { allowed } = world()
    allowed(250)
    expect(allowed(250, 'other')).toBe(200)
  })

  it.each([-3_600_000, 3_600_000])('neither gives nor takes when the clock is set by %i ms', (byMs) => {
    const { clock, wind, allowed } = world()
    allowed(100)
    clock.set(byMs)
    expect(allowed(150)).toBe(100)
    wind(1_000)
    expect(allowed(100)).toBe(50)
  })

  it('stays bounded under many names, and forgets first who was quiet for longest', () => {
    const { limit, allowed } = world()
    allowed(200, 'quiet')
    allowed(200, 'busy')
    for (let name = 0; name < 9_998; name += 1) limit.take(`partner ${name}`)
    limit.take('busy')
    limit.take('one more')
    expect(limit.take('busy').allowed).toBe(false)
    expect(limit.take('quiet').allowed).toBe(true)
  })

  it('never lets through more than the burst and what grew back, and always what it said would be', () => {
    const rate = fc.record({
      perSecond: fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 300 }),
    })
    const pauses = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 200 })
    fc.assert(
      fc.property(rate, pauses, (rate, pauses) => {
        const { limit, wind } = world(rate)
        let [passed, elapsedMs] = [0, 0]
        for (const pause of pauses) {
          wind(pause)
          elapsedMs += pause
          const told = limit.take('acme')
          if (told.allowed) passed += 1
          expect(passed).toBeLessThanOrEqual(rate.burst + (elapsedMs / 1_000) * rate.perSecond + 1e-6)
          expect(told.remaining).toBeGreaterThanOrEqual(0)
        }
        const { nextInS } = limit.take('acme')
        wind(nextInS * 1_000)
        expect(limit.take('acme').allowed).toBe(true)
      }),
    )
  })
})
