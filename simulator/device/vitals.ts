import type { DeviceState } from './state.ts'

/** What a speaker measures about itself, in the units of telemetry (sb/1 9). */
export interface Vitals {
  /** Percent. */
  battery: number
  /** dBm. */
  signal: number
}

/** A speaker on mains power in a shop with good reception. */
const STEADY: Vitals = { battery: 100, signal: -55 }

export function vitalsOf(_state: DeviceState): Vitals {
  return STEADY
}
