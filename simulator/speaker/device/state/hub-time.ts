import type { DeviceState } from './state.ts'

/** The hub's clock in milliseconds, calculated from the last welcome. */
export function hubNowMs(state: DeviceState, nowMs: number): number {
  return nowMs + state.hubAheadMs
}

/** Vietnam's local time taken for UTC, the usual mistake of clocks in shops. */
const WRONG_CLOCK_MS = 7 * 60 * 60_000

/** The clock of the speaker's own board. It may be wrong, so no decision uses it (sb/1 11.1). */
export function ownClockMs(state: DeviceState, nowMs: number): number {
  return state.faults.includes('wrong-clock') ? nowMs + WRONG_CLOCK_MS : nowMs
}

/** Whether a Unix second of the hub's clock has passed. The second itself is still valid (sb/1 11.3). */
export function isPast(state: DeviceState, hubSeconds: number, nowMs: number): boolean {
  return nowMs >= pastAtMs(state, hubSeconds)
}

/** The first moment, on the speaker's own clock, at which `isPast` is true. */
export function pastAtMs(state: DeviceState, hubSeconds: number): number {
  return (hubSeconds + 1) * 1000 - state.hubAheadMs
}
