import type { Adjustment } from './device/state/events.ts'
import type { Fault } from './device/state/faults.ts'
import type { SimulatorEvent } from './device/state/speaker-events.ts'
import type { FeedListener } from './feed.ts'
import type { SpeakerSnapshot } from './snapshot.ts'
import type { SpeakerOptions } from './speaker-options.ts'
import { SpeakerRuntime } from './speaker-runtime.ts'

/** A complete speaker: the device and its connection to the hub. */
export interface Speaker {
  readonly serial: string
  /** Connects, and retries until `stop`. */
  start(): void
  /** Sends `bye` and disconnects cleanly. Resolves when the connection is closed. */
  stop(): Promise<void>
  /** Ends the session and connects again at once. */
  reconnect(): Promise<void>
  /** Pulls the network cable without a `bye`; `start` plugs it back in. */
  cutNetwork(): Promise<void>
  /** Cuts the power without a `bye`: the speaker keeps only its memory, even in the middle of a word. */
  powerOff(): Promise<void>
  /** Restores the power: the speaker starts again and connects. */
  powerOn(): void
  /** Switches a fault on or off. */
  setFault(fault: Fault, on: boolean): void
  /** Changes settings at the speaker itself, as its buttons do. */
  adjust(change: Adjustment): void
  /** Dismisses the notice of missed payments. */
  dismiss(): void
  /** Publishes an event of the simulator on the feed. */
  note(event: SimulatorEvent): void
  /** Subscribes to the feed from now on. Returns a function that ends the subscription. */
  subscribe(listener: FeedListener): () => void
  /** The hub's clock in Unix milliseconds, by the last welcome; the speaker's own before the first. */
  hubNowMs(): number
  /** Whether the hub has not stored yet what the speaker answered to its command `n`. */
  owesAck(n: number): boolean
  /** The speaker at this moment. */
  snapshot(): SpeakerSnapshot
}

/**
 * Builds a speaker; nothing happens before `start`. Throws a `MemoryError` when the memory can't be read. When the
 * memory can't be written later, the speaker emits `broken` and stops.
 */
export function createSpeaker(options: SpeakerOptions): Speaker {
  return new SpeakerRuntime(options)
}
