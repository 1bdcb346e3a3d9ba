import type { AckStage, ReasonCode } from '../../../../protocol/messages/ack.ts'
import type { Settings } from '../../../../protocol/messages/settings.ts'
import type { UPDATE_STATES } from '../../../../protocol/messages/telemetry.ts'
import type { Language } from '../../../../protocol/money/language.ts'
import type { Refusal } from './events.ts'
import type { Fault } from './faults.ts'

/**
 * The device's output: what a person at the speaker notices, or can learn from it. Headless mode prints these events
 * unchanged, so their names and fields are an interface; see the table in headless/README.md. Amounts are decimal
 * strings in the currency's unit; `exp` is Unix seconds on the hub's clock.
 */
export type SpeakerEvent =
  | { event: 'power'; on: boolean }
  | { event: 'fault'; fault: Fault; on: boolean }
  | ({ event: 'vitals' } & Vitals)
  | { event: 'connected'; linked: boolean }
  | { event: 'disconnected'; reason: string }
  | { event: 'offline'; reason: string; retryInMs: number }
  | { event: 'refused'; code: Refusal; reason: string; retryInMs?: number }
  | { event: 'profile'; name: string; qr: string; locked?: boolean | undefined }
  | { event: 'code'; code: string; exp: number }
  | { event: 'qr'; qr: string; amount: string; bill: string; exp: number }
  | { event: 'cleared'; what: 'code' | 'qr'; why: ClearedWhy }
  | {
      event: 'announce'
      n: number
      amount: string
      currency: string
      text: string
      lang: Language
      clips: string
      bill?: string
    }
  | { event: 'played'; n: number }
  | { event: 'paid'; n: number; bill: string; amount: string }
  | { event: 'missed'; n: number; count: number; amount: string }
  | { event: 'identify'; n: number }
  | ({ event: 'settings' } & Settings)
  | { event: 'rekey'; key: 'next' | 'confirmed' }
  | { event: 'update'; fw: string; state: UpdateState; percent?: number | undefined }
  | { event: 'failed'; t: string; n: number; rc: ReasonCode }
  | { event: 'repeat'; t: string; n: number; stage: AckStage }
  | { event: 'dropped'; n: number; stage: AckStage }
  | { event: 'ignored'; reason: IgnoredReason }
  | { event: 'broken'; reason: string }
  | SimulatorEvent

/** What a speaker measures about itself, in the units of telemetry (sb/1 9). */
export interface Vitals {
  /** Percent. */
  battery: number
  /** dBm. */
  signal: number
}

/** What it does with an offer of firmware. */
export type UpdateState = (typeof UPDATE_STATES)[number]

/** An event of the simulator itself, not of the speaker. */
export type SimulatorEvent =
  | { event: 'recorded'; n: number; file: string }
  | { event: 'trouble'; with: 'sound' | 'record' | 'transcript'; reason: string }

/** Why it left the screen: the hub's `clear`, its own `exp`, the end of the registration, or a lock. */
export type ClearedWhy = 'command' | 'expired' | 'unlinked' | 'locked'

/** Why a packet was dropped without an ack: no trustworthy field says which command to answer. */
export type IgnoredReason = 'no_mac' | 'bad_mac' | 'bad_json' | 'malformed' | 'before_welcome'
