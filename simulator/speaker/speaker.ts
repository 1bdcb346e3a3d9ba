import type { Clock } from '../platform/clock.ts'
import type { Dial } from './connection/session.ts'
import type { step } from './device/device.ts'
import type { Adjustment } from './device/state/events.ts'
import type { Fault } from './device/state/faults.ts'
import type { SimulatorEvent } from './device/state/speaker-events.ts'
import type { DeviceConfig } from './device/state/state.ts'
import type { FeedListener } from './feed.ts'
import type { MemoryStore } from './memory/memory.ts'
import type { SpeakerSnapshot } from './snapshot.ts'
import { SpeakerRuntime } from './speaker-runtime.ts'

export interface SpeakerOptions {
  serial: string
  /** The device's secret K, 32 bytes. */
  key: Buffer
  /** mqtt://, mqtts://, ws:// or wss://. */
  url: string
  memory: MemoryStore
  config?: Partial<DeviceConfig>
  /** What is wrong with it from the start. */
  faults?: readonly Fault[]
  /** Whether a first login that is refused is the last; a speaker in a shop tries again after 15 minutes. */
  stopWhenRefused?: boolean
  clock?: Clock
  /** Opens the line to the hub in place of a socket. */
  dial?: Dial
  /** [0, 1), for the jitter between attempts. */
  random?: () => number
  /** 16 lower-case hex characters, new at each call. */
  newSid?: () => string
  /** What decides; the speaker's own when left out. */
  step?: typeof step
}

/** A whole speaker: the device and its line to the hub. */
export interface Speaker {
  readonly serial: string
  /** Connects, and keeps trying until `stop`. */
  start(): void
  /** Says goodbye, disconnects cleanly, and falls silent. Resolves when the line is closed. */
  stop(): Promise<void>
  /** Ends the session and connects anew at once. */
  reconnect(): Promise<void>
  /** Pulls the network cable, without a goodbye; `start` plugs it back in. */
  cutNetwork(): Promise<void>
  /** Takes its power, without a goodbye: it forgets all but its memory, in the middle of a word if it must. */
  powerOff(): Promise<void>
  /** Gives it its power back: it starts anew and connects. */
  powerOn(): void
  /** Breaks something in it, or repairs it. */
  setFault(fault: Fault, on: boolean): void
  /** Presses its buttons: settings changed at the speaker itself. */
  adjust(change: Adjustment): void
  /** Waves the notice of missed payments away. */
  dismiss(): void
  /** Puts on the feed what has happened around it. */
  note(event: SimulatorEvent): void
  /** Everything that happens from now on. Returns what ends the subscription. */
  subscribe(listener: FeedListener): () => void
  /** How it is at this moment. */
  snapshot(): SpeakerSnapshot
}

/**
 * Builds a speaker from its parts; nothing moves before `start`. Throws a `MemoryError` when its memory
 * can't be read; when it can't be written later, the speaker tells of `broken` and falls silent.
 */
export function createSpeaker(options: SpeakerOptions): Speaker {
  return new SpeakerRuntime(options)
}
