import type { DeviceState } from './state.ts'

/** The hub's clock in milliseconds, as the last welcome lets the speaker reckon it. */
export function hubNowMs(state: DeviceState, nowMs: number): number {
  return nowMs + state.hubAheadMs
}

/** Local time in Vietnam taken for UTC: the mistake that clocks in shops make. */
const WRONG_CLOCK_MS = 7 * 60 * 60_000

/** The clock on the speaker's own board. Nothing is decided by it: it may be wrong (sb/1 11.1). */
export function ownClockMs(state: DeviceState, nowMs: number): number {
  return state.faults.includes('wrong-clock') ? nowMs + WRONG_CLOCK_MS : nowMs
}

/** Whether a moment in the hub's Unix seconds has passed. The second itself still counts as good (sb/1 11.3). */
export function isPast(state: DeviceState, hubSeconds: number, nowMs: number): boolean {
  return nowMs >= pastAtMs(state, hubSeconds)
}

/** The first moment on the speaker's own clock at which `isPast` holds for the hub's second. */
export function pastAtMs(state: DeviceState, hubSeconds: number): number {
  return hubSeconds * 1000 - state.hubAheadMs + 1
}
