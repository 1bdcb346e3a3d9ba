import type { Ack } from '../../../../protocol/messages/ack.ts'
import type { Birth } from '../../../../protocol/messages/birth.ts'
import type { SettingsReport } from '../../../../protocol/messages/settings-report.ts'
import type { Telemetry } from '../../../../protocol/messages/telemetry.ts'
import type { Memory } from '../../memory/memory.ts'
import type { SpeakerEvent } from './speaker-events.ts'

/** A message for the hub, before it is sealed for the session. */
export type UpMessage =
  | { kind: 'birth'; body: Birth }
  /** Answered by the event `ack_stored` with the same token, once its PUBACK is here. */
  | { kind: 'ack'; body: Ack; token: number }
  | { kind: 'settings'; body: SettingsReport }
  | { kind: 'telemetry'; body: Telemetry }

/**
 * What the world shall do for the speaker, in this order: `persist` is durable before the effects after it
 * are looked at, so a sound that follows it can't be forgotten by a power cut.
 */
export type Effect =
  | { type: 'publish'; message: UpMessage }
  | { type: 'persist'; memory: Memory }
  | { type: 'emit'; event: SpeakerEvent }
  /** The battery is empty: the speaker takes its own power. */
  | { type: 'switch_off' }
