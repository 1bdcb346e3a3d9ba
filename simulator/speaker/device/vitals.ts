import {
  chain,
  type DeviceState,
  emit,
  NORMAL_VITALS,
  noEffects,
  type Step,
  type Vitals,
} from './state/state.ts'

/** Where modems still hold a link, and hardly get anything through it. */
const WEAK_SIGNAL = -107
const LOW_BATTERY = 15
/** Fast enough to be watched, slow enough for a few payments. */
export const DRAIN_MS_PER_PERCENT = 4_000

export function vitalsOf(state: DeviceState, nowMs: number): Vitals {
  return {
    battery: state.faults.includes('low-battery') ? lowBattery(state, nowMs) : NORMAL_VITALS.battery,
    signal: state.faults.includes('slow-link') ? WEAK_SIGNAL : NORMAL_VITALS.signal,
  }
}

/** Lets the battery run down, tells of what has changed, and switches off when it is empty. */
export function elapseVitals(state: DeviceState, nowMs: number): Step {
  const low = state.faults.includes('low-battery')
  const next = { ...state, drainingSinceMs: low ? (state.drainingSinceMs ?? nowMs) : undefined }
  const vitals = vitalsOf(next, nowMs)
  const { battery, signal } = vitals
  if (battery === state.vitals.battery && signal === state.vitals.signal) return noEffects(next)
  return chain(emit({ ...next, vitals }, { event: 'vitals', battery, signal }), (told) =>
    battery > 0 ? noEffects(told) : { state: told, effects: [{ type: 'switch_off' }] },
  )
}

/** When the battery next loses a percent; undefined while it loses none. */
export function vitalsDueMs(state: DeviceState): number | undefined {
  if (!state.faults.includes('low-battery') || state.vitals.battery === 0) return undefined
  if (state.drainingSinceMs === undefined) return undefined
  return state.drainingSinceMs + (LOW_BATTERY - state.vitals.battery + 1) * DRAIN_MS_PER_PERCENT
}

function lowBattery({ drainingSinceMs }: DeviceState, nowMs: number): number {
  if (drainingSinceMs === undefined) return LOW_BATTERY
  return Math.max(0, LOW_BATTERY - Math.floor((nowMs - drainingSinceMs) / DRAIN_MS_PER_PERCENT))
}
