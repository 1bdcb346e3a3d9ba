import { expect, it } from 'vitest'
import { retryAfterMs } from '../../../../server/webhooks/send/retry-after.ts'

const NOW = Date.parse('2026-11-20T03:00:00.000Z')
const DAY = 24 * 3_600_000

it.each([
  [429, '120', 120_000],
  [502, '1', 1_000],
  [503, '0', 0],
  [504, '86400', DAY],
  [429, '86401', DAY],
  [429, '9'.repeat(400), DAY],
  [429, 'Fri, 20 Nov 2026 03:01:00 GMT', 60_000],
  [503, 'Friday, 20-Nov-26 03:01:00 GMT', 60_000],
  [503, 'Fri Nov 20 03:01:00 2026 GMT', 60_000],
  [429, 'Fri, 20 Nov 2026 02:59:00 GMT', 0],
  [429, 'Wed, 31 Dec 2036 00:00:00 GMT', DAY],
  [429, undefined, undefined],
  [429, '', undefined],
  [429, '-5', undefined],
  [429, '1.5', undefined],
  [429, 'soon', undefined],
  [500, '120', undefined],
  [200, '120', undefined],
  [302, '120', undefined],
])('a reply %s with Retry-After %s asks for %s ms', (status, header, ms) => {
  expect(retryAfterMs(status, header, NOW)).toBe(ms)
})
