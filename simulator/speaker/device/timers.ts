import { pastAtMs } from './state/hub-time.ts'
import type { DeviceState } from './state/state.ts'
import { vitalsDueMs } from './vitals.ts'

/**
 * When the speaker next has something to do of its own accord, on its own clock; undefined when it only
 * waits for others. A tick then is enough: the speaker needs no other timer.
 */
export function dueAtMs(state: DeviceState): number | undefined {
  const moments = [
    state.sounding?.untilMs,
    state.paid?.untilMs,
    state.missed?.untilMs,
    state.code && pastAtMs(state, state.code.exp),
    state.qr && pastAtMs(state, state.qr.exp),
    state.link.phase === 'welcomed' ? state.link.telemetryAtMs : undefined,
    vitalsDueMs(state),
  ].filter((moment) => moment !== undefined)
  return moments.length > 0 ? Math.min(...moments) : undefined
}
