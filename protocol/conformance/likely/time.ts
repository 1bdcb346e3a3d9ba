const DAY_S = 86_400
/** From 1900 and from 2000 to 1970. */
const NTP_S = 2_208_988_800
const YEAR_2000_S = 946_684_800
/** Clocks that are set by a packet differ by seconds. */
const NEAR_S = 120
const ZONE_S = 900
const WIDEST_ZONE_S = 14 * 3_600

/** What is wrong with a device's clock. `now` is Unix seconds. Undefined if nothing is, or nobody knows. */
export function explainTime(at: number, now: number): string | undefined {
  const isNear = (other: number) => Math.abs(at - other) <= NEAR_S
  if (at === 0 || isNear(now)) return undefined
  if (Math.abs(at / 1_000 - now) <= NEAR_S) return 'it is in milliseconds: send Unix seconds (9.1)'
  if (Math.abs(at / 1e6 - now) <= NEAR_S) return 'it is in microseconds: send Unix seconds (9.1)'
  if (Math.abs(at - now / 1_000) <= NEAR_S)
    return 'the `now` of the welcome is taken for milliseconds, so the clock is in 1970: it is Unix seconds (11.1)'
  if (isNear(now + NTP_S)) return 'it counts from 1900, as NTP does: subtract 2,208,988,800'
  if (isNear(now - YEAR_2000_S)) return 'it counts from 2000: add 946,684,800'
  const offS = at - now
  const zones = Math.round(offS / ZONE_S)
  if (Math.abs(offS) <= WIDEST_ZONE_S && Math.abs(offS - zones * ZONE_S) <= NEAR_S)
    return `it is local time, ${zones / 4} hours from UTC: send Unix seconds, which are UTC`
  if (at < 3_650 * DAY_S) return 'it counts from power on: leave `at` out without a clock (8.1)'
  return undefined
}
