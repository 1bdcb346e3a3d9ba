import type { Ack } from '../../../../protocol/messages/ack.ts'
import type { Birth } from '../../../../protocol/messages/birth.ts'
import type { SettingsReport } from '../../../../protocol/messages/settings-report.ts'
import type { Telemetry } from '../../../../protocol/messages/telemetry.ts'
import type { Memory } from '../../memory/memory.ts'
import type { SpeakerEvent } from './speaker-events.ts'

/** A message to the hub, before it is sealed for the session. */
export type UpMessage =
  | { kind: 'birth'; body: Birth }
  /** The event `ack_stored` with the same token follows its PUBACK. */
  | { kind: 'ack'; body: Ack; token: number }
  | { kind: 'settings'; body: SettingsReport }
  | { kind: 'telemetry'; body: Telemetry }

/**
 * What the runtime does for the device, in this order. `persist` is durable before any later effect runs, so a power
 * cut can't lose the record of a sound that follows it.
 */
export type Effect =
  | { type: 'publish'; message: UpMessage }
  | { type: 'persist'; memory: Memory }
  | { type: 'emit'; event: SpeakerEvent }
  /** Ends the session, and connects again: with the next key, if there is one. */
  | { type: 'reconnect' }
  /** Starts anew, with the firmware that is in the memory. */
  | { type: 'restart' }
  /** The battery is empty: the speaker switches itself off. */
  | { type: 'switch_off' }
