import { moveTimer } from './rekey.ts'
import { screenTimers } from './screens.ts'
import { telemetryTimer } from './session.ts'
import { soundTimer } from './sounds.ts'
import { chain, type DeviceState, noEffects, type Step, type Timer } from './state/state.ts'
import { updateTimer } from './update.ts'
import { vitalsTimer } from './vitals.ts'

/**
 * Every timer of the speaker: the one place that says what is due and when. Timers that are due together fire in this
 * order.
 */
const TIMERS: readonly Timer[] = [
  vitalsTimer,
  soundTimer,
  ...screenTimers,
  telemetryTimer,
  updateTimer,
  moveTimer,
]

/** When the next timer is due, on the speaker's own clock; undefined when none runs. */
export function dueAtMs(state: DeviceState): number | undefined {
  const moments = TIMERS.map(({ dueAtMs }) => dueAtMs(state)).filter((moment) => moment !== undefined)
  return moments.length > 0 ? Math.min(...moments) : undefined
}

/** Fires every timer that is due. */
export function fireTimers(state: DeviceState, nowMs: number): Step {
  return TIMERS.reduce<Step>(
    (done, timer) =>
      chain(done, (next) => (isDue(timer, next, nowMs) ? timer.fire(next, nowMs) : noEffects(next))),
    noEffects(state),
  )
}

function isDue({ dueAtMs }: Timer, state: DeviceState, nowMs: number): boolean {
  const moment = dueAtMs(state)
  return moment !== undefined && nowMs >= moment
}
