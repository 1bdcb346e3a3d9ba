import { ackGivenUp } from './device/acks.ts'
import { startNext } from './device/sounds.ts'
import type { Effect } from './device/state/effects.ts'
import { isPast } from './device/state/hub-time.ts'
import { chain, type DeviceState, type Step } from './device/state/state.ts'

/**
 * Moves a sound that has waited for a write of the memory, from `sinceMs` to `nowMs`: it ends later by that time, so
 * that `played` does not come before its end. After the end of its validity it does not start at all (sb/1 7.7); a phone
 * may sleep in the middle of a write. `waiting` are the effects behind the write.
 */
export function startLate(
  state: DeviceState,
  waiting: readonly Effect[],
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Step {
  const { sounding, payment } = state
  if (!sounding || !waiting.some(isStart)) return { state, effects: waiting }
  const { sound, sinceMs: from, untilMs } = sounding
  const isShown = payment?.n === sound.n
  if (isPast(state, sound.validUntil, nowMs)) {
    const silent = { ...state, sounding: undefined, payment: isShown ? undefined : payment }
    const others = { state: silent, effects: waiting.filter((effect) => !isStart(effect)) }
    const refused = chain(others, (next) => ackGivenUp(next, sound, 'expired'))
    return chain(refused, (next) => startNext(next, nowMs))
  }
  const lateMs = nowMs - sinceMs
  const later = { sound, sinceMs: from + lateMs, untilMs: untilMs + lateMs }
  const shown = isShown ? { ...payment, untilMs: payment.untilMs + lateMs } : payment
  return { state: { ...state, sounding: later, payment: shown }, effects: waiting }
}

function isStart(effect: Effect): boolean {
  return effect.type === 'emit' && effect.event.event === 'announce'
}
