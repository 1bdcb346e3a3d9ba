import type { Clock } from '../platform/clock.ts'
import type { Dial } from './connection/session.ts'
import type { step } from './device/device.ts'
import type { Fault } from './device/state/faults.ts'
import type { DeviceConfig } from './device/state/state.ts'
import type { MemoryStore } from './memory/memory.ts'

export interface SpeakerOptions {
  serial: string
  /** The device's secret K, 32 bytes. */
  key: Uint8Array
  /** mqtt://, mqtts://, ws:// or wss://. */
  url: string
  memory: MemoryStore
  config?: Partial<DeviceConfig>
  /** Faults that are on from the start. */
  faults?: readonly Fault[]
  /** Stop when the hub refuses the very first login. A speaker in a shop retries after 15 minutes. */
  stopWhenRefused?: boolean
  clock?: Clock
  /** Opens the line to the hub in place of a socket. */
  dial?: Dial
  /** [0, 1), for the jitter between attempts. */
  random?: () => number
  /** 16 lower-case hex characters, new at each call. */
  newSid?: () => string
  /** The device's step function; replaced by tests. */
  step?: typeof step
}
