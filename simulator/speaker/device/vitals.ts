import type { Vitals } from './state/speaker-events.ts'
import {
  chain,
  type DeviceState,
  emit,
  NO_SIGNAL,
  NORMAL_VITALS,
  noEffects,
  type Step,
  type Timer,
} from './state/state.ts'

/** At this level a modem keeps its link but hardly transfers data. */
const WEAK_SIGNAL = -107
const LOW_BATTERY = 15
/** Fast enough to watch, slow enough for a few payments. */
export const DRAIN_MS_PER_PERCENT = 4_000

export function vitalsOf(state: DeviceState, nowMs: number): Vitals {
  return {
    battery: state.faults.includes('low-battery') ? lowBattery(state, nowMs) : NORMAL_VITALS.battery,
    signal: signalOf(state),
  }
}

/** Updates battery and signal, emits a change, and switches off when the battery is empty. */
export function updateVitals(state: DeviceState, nowMs: number): Step {
  const low = state.faults.includes('low-battery')
  const next = { ...state, drainingSinceMs: low ? (state.drainingSinceMs ?? nowMs) : undefined }
  const vitals = vitalsOf(next, nowMs)
  const { battery, signal } = vitals
  if (battery === state.vitals.battery && signal === state.vitals.signal) return noEffects(next)
  return chain(emit({ ...next, vitals }, { event: 'vitals', battery, signal }), (changed) =>
    battery > 0 ? noEffects(changed) : { state: changed, effects: [{ type: 'switch_off' }] },
  )
}

/** Fires for each percent that the battery loses. */
export const vitalsTimer: Timer = {
  dueAtMs({ faults, vitals, drainingSinceMs, link }) {
    // A fault that is on at switch-on takes effect at the first event.
    const isNew = drainingSinceMs === undefined && faults.includes('low-battery')
    if (isNew || signalOf({ faults, link }) !== vitals.signal) return 0
    if (drainingSinceMs === undefined || vitals.battery === 0) return undefined
    return drainingSinceMs + (LOW_BATTERY - vitals.battery + 1) * DRAIN_MS_PER_PERCENT
  },
  fire: updateVitals,
}

function signalOf({ faults, link }: Pick<DeviceState, 'faults' | 'link'>): number {
  if (link.phase === 'offline' && link.unplugged) return NO_SIGNAL
  return faults.includes('slow-link') ? WEAK_SIGNAL : NORMAL_VITALS.signal
}

function lowBattery({ drainingSinceMs }: DeviceState, nowMs: number): number {
  if (drainingSinceMs === undefined) return LOW_BATTERY
  return Math.max(0, LOW_BATTERY - Math.floor((nowMs - drainingSinceMs) / DRAIN_MS_PER_PERCENT))
}
