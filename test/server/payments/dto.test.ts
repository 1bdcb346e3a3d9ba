import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CHECKSUM_FIELDS } from '../../../server/payments/canonical-string.ts'
import { callbackDto } from '../../../server/payments/dto.ts'
import { isoInstant } from '../../../server/platform/clock.ts'
import { CALLBACK } from '../../support/callback.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { VALUES } from '../http/openapi/field-values.ts'

const FIELDS = [...CHECKSUM_FIELDS, 'checkSum'] as const

/** A callback whose fields may be valid, invalid, of another type, empty, null or absent. */
const body = fc.record(
  Object.fromEntries(
    FIELDS.map((name) => {
      const { good, bad } = VALUES[name]
      const right = fc.constantFrom<unknown>(...good, CALLBACK[name as keyof typeof CALLBACK] ?? 'x')
      const wrong = fc.constantFrom<unknown>(...bad, null, '', 5, true, [], {}, undefined)
      return [name, fc.oneof({ arbitrary: right, weight: 9 }, wrong)]
    }),
  ),
  { requiredKeys: CHECKSUM_FIELDS.slice(0, 6) },
)
const whatever = fc.oneof({ arbitrary: body, weight: 20 }, fc.jsonValue())

it('the compiled schema of a callback gives the same results and issues as the documented one', () => {
  const { documented, read } = callbackDto({ clock: createVirtualClock(), clockIsBehind: () => false })
  let taken = 0
  fc.assert(
    fc.property(whatever, (said) => {
      const [expected, found] = [documented.safeParse(said), read.safeParse(said)]
      if (expected.success) taken += 1
      expect(found.data).toEqual(expected.data)
      expect(found.error?.issues).toEqual(expected.error?.issues)
    }),
    { numRuns: 2_000 },
  )
  expect(taken).toBeGreaterThan(100)
})

it('a date that seems to lie ahead is refused, but not by a clock that is wrong', () => {
  const clock = createVirtualClock()
  let clockIsBehind = false
  const { read } = callbackDto({ clock, clockIsBehind: () => clockIsBehind })
  const at = (aheadMs: number) => ({
    ...{ ...CALLBACK, checkSum: 'x' },
    payDate: isoInstant(clock.now() + aheadMs),
  })
  const [near, far] = [at(24 * 3_600_000), at(24 * 3_600_000 + 1)]
  expect(read.safeParse(near).success).toBe(true)
  expect(read.safeParse(far).error?.issues).toMatchObject([{ path: ['payDate'] }])
  clockIsBehind = true
  expect(read.safeParse(near).success).toBe(true)
  expect(read.safeParse(far).success).toBe(true)
  expect(read.safeParse({ ...far, bankCode: '?' }).error?.issues).toMatchObject([{ path: ['bankCode'] }])
})
