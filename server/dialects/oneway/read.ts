import type { Heard, PublishedPacket } from '../../delivery/dialect.ts'
import { dBm, finiteNumber, percent, readObject } from '../profile/read.ts'
import type { OnewayProfile } from '../profile/schema.ts'

type Telemetry = NonNullable<OnewayProfile['telemetry']>

/** Reads what a box publishes: its state, where the profile names the fields. Nothing of it proves a sound. */
export function hearState(profile: OnewayProfile, packet: PublishedPacket): Heard {
  const { telemetry } = profile
  // Many publish their state in other forms at each connection. That is normal, and means nothing here.
  const object = telemetry && readObject(packet)
  if (object === undefined) return { kind: 'ignored' }
  const battery = batteryOf(telemetry, object)
  const signal = signalOf(telemetry, object)
  if (battery === undefined && signal === undefined) return { kind: 'ignored' }
  return { kind: 'telemetry', readings: { battery, signal }, update: undefined }
}

function batteryOf({ battery }: Telemetry = {}, object: Record<string, unknown>): number | undefined {
  const millivolts = battery && finiteNumber(object[battery.field])
  // A box without a battery says 0.
  if (!millivolts) return undefined
  const { emptyMillivolts: empty, fullMillivolts: full } = battery
  return percent(Math.min(100, Math.max(0, (100 * (millivolts - empty)) / (full - empty))))
}

function signalOf({ signal }: Telemetry = {}, object: Record<string, unknown>): number | undefined {
  if (signal === undefined) return undefined
  const value = finiteNumber(object[signal.field])
  if (signal.unit === 'dBm' || value === undefined) return dBm(value)
  // 3GPP TS 27.007, 8.5: 0 is -113 dBm, each step is 2 dB, 99 is unknown.
  return value >= 0 && value <= 31 ? dBm(-113 + 2 * value) : undefined
}
