import type { Ack, ReasonCode } from '../../../../protocol/messages/ack.ts'
import type { CommandBody } from '../../../../protocol/messages/command.ts'
import type { Telemetry } from '../../../../protocol/messages/telemetry.ts'
import type { Language } from '../../../../protocol/money/language.ts'
import type { Memory } from '../../memory/memory.ts'
import type { Effect, UpMessage } from './effects.ts'
import type { Fault } from './faults.ts'
import type { SpeakerEvent, Vitals } from './speaker-events.ts'

/** Milliseconds by language and clip id. */
export type ClipLengths = Partial<Record<Language, Readonly<Record<string, number>>>>

/** The hardware properties that affect the speaker's behaviour. */
export interface DeviceConfig {
  firmware: string
  model: string
  /** Bytes of the receive buffer for a whole PUBLISH. */
  rxBytes: number
  /** Duration of the sound before the first clip of a sentence. */
  chimeMs: number
  /** Duration of a clip that is not in `clipLengths`. */
  msPerClip: number
  /** Duration of each clip in a sentence. */
  clipLengths: ClipLengths
  /** The clip packs it has. */
  languages: readonly Language[]
  /** The hardware it has; commands for any other are `unsupported` (sb/1 7.17). */
  caps: readonly Cap[]
  /** Declines every offer of firmware. */
  declinesUpdates: boolean
  /** The range of the delay of each packet under `slow-link`, each way. */
  slowLinkMs: { least: number; most: number }
}

export const CAPS = ['screen', 'speaker', 'qr', 'rekey', 'update', 'health'] as const
export type Cap = (typeof CAPS)[number]

export const DEFAULT_CONFIG: DeviceConfig = {
  firmware: '0.1.0',
  model: 'terminal',
  rxBytes: 512,
  chimeMs: 0,
  msPerClip: 220,
  clipLengths: {},
  languages: ['vi', 'en'],
  caps: CAPS,
  declinesUpdates: false,
  slowLinkMs: { least: 1_500, most: 4_000 },
}

/** Mains power and good reception. */
export const NORMAL_VITALS: Vitals = { battery: 100, signal: -55 }

/** The signal without a line: what a modem reports as its lowest value (3GPP TS 27.007, +CSQ 0). */
export const NO_SIGNAL = -113

/** The state of the link. Only a `welcomed` speaker obeys commands. */
export type Link =
  | { phase: 'connecting' }
  | {
      phase: 'offline'
      reason: string
      retryAtMs: number | undefined
      /** The network cable is pulled. */
      unplugged?: boolean
    }
  | { phase: 'born'; sid: string; key: string }
  | {
      phase: 'welcomed'
      sid: string
      /** The K of the session, in base64url. */
      key: string
      /** The number of the last welcome that was obeyed in this session. */
      welcomeN: number
      /** The number of the last screen command that was applied in this session; 0 before the first. */
      shown: number
      /** The number of the last `identify` that was played in this session; 0 before the first. */
      identified: number
      /** When telemetry is next due, on the speaker's clock. */
      telemetryAtMs: number
    }

/** A queued or current sound. `validUntil` is Unix seconds on the hub's clock. */
export type Sound =
  | { t: 'announce'; id: string; n: number; validUntil: number; body: CommandBody<'announce'>; text: string }
  | { t: 'identify'; id: string; n: number; validUntil: number }

/** An ack that the hub has not confirmed as stored. Resent after each welcome until it has. */
export interface PendingAck {
  token: number
  body: Ack
}

/** A payment on the screen; `untilMs` is on the speaker's own clock. */
export interface PaymentShown {
  n: number
  amount: string
  untilMs: number
}

/** The notice of missed payments. Its time passes only while it is on the screen (sb/1 7.23). */
export interface MissedNotice {
  count: number
  amount: string
  /** How long it stays from `seenSinceMs`, or from the moment when it is on the screen again. */
  leftMs: number
  /** Since when it is on the screen; undefined while something covers it. */
  seenSinceMs: number | undefined
  /** The command, until the notice was on the screen and the hub was told so. */
  unseen: { t: 'missed'; id: string; n: number } | undefined
}

export interface DeviceState {
  config: DeviceConfig
  /** In the order of `FAULTS`. */
  faults: readonly Fault[]
  /** The battery and signal of the last `vitals` event. */
  vitals: Vitals
  /** When the battery began to drain, on the speaker's clock; undefined while it does not drain. */
  drainingSinceMs: number | undefined
  /** Why and when it started, on its own clock. */
  start: Start
  /** Why its last connection ended. */
  lastEnd: string | undefined
  memory: Memory
  link: Link
  /** The hub's clock minus the speaker's own, from the last welcome. */
  hubAheadMs: number
  /** From the last welcome or profile; undefined before the first. */
  linked: boolean | undefined
  profile: CommandBody<'profile'> | undefined
  code: CommandBody<'code'> | undefined
  qr: CommandBody<'qr'> | undefined
  /** The payment that sounds, or the last one that sounded. `bill`: it has paid the QR of this bill. */
  payment: (PaymentShown & { bill?: string }) | undefined
  /** An announcement that has paid the QR on the screen, until its sentence starts. */
  paid: (PaymentShown & { bill: string }) | undefined
  missed: MissedNotice | undefined
  /** Queued sounds, by rising number. */
  queue: readonly Sound[]
  sounding: { sound: Sound; sinceMs: number; untilMs: number } | undefined
  pendingAcks: readonly PendingAck[]
  /** The ids of received sounds that were given up, until the hub has stored it. */
  givenUp: readonly string[]
  nextToken: number
  /** A new key was stored: it will connect with it. `id` is the command's. */
  move: { sinceMs: number; id: string } | undefined
  /** What it does with an offer of firmware. */
  update: (NonNullable<Telemetry['update']> & { dueAtMs: number | undefined }) | undefined
  /** Commands that ended in `failed`, oldest first: a repeat gets the same answer. */
  failures: readonly { id: string; rc: ReasonCode }[]
}

export interface Start {
  reset: 'power' | 'update'
  atMs: number
}

/** A speaker that has just been switched on. */
export function switchedOn(
  memory: Memory,
  config: DeviceConfig = DEFAULT_CONFIG,
  faults: readonly Fault[] = [],
  start: Start = { reset: 'power', atMs: 0 },
): DeviceState {
  return {
    config,
    faults,
    vitals: NORMAL_VITALS,
    drainingSinceMs: undefined,
    start,
    lastEnd: undefined,
    memory,
    link: { phase: 'connecting' },
    hubAheadMs: 0,
    linked: undefined,
    profile: undefined,
    code: undefined,
    qr: undefined,
    payment: undefined,
    paid: undefined,
    missed: undefined,
    queue: [],
    sounding: undefined,
    pendingAcks: [],
    givenUp: [],
    nextToken: 1,
    move: undefined,
    update: undefined,
    failures: [],
  }
}

/** An action at a moment, without an event from outside. */
export interface Timer {
  /** On the speaker's own clock; undefined while the timer does not run. */
  dueAtMs(state: DeviceState): number | undefined
  fire(state: DeviceState, nowMs: number): Step
}

/** The new state, and the effects to perform. */
export interface Step {
  state: DeviceState
  effects: readonly Effect[]
}

/** A step without effects. */
export function noEffects(state: DeviceState): Step {
  return { state, effects: [] }
}

/** A step that emits one event. */
export function emit(state: DeviceState, event: SpeakerEvent): Step {
  return { state, effects: [{ type: 'emit', event }] }
}

/** A step that publishes one message. */
export function publish(state: DeviceState, message: UpMessage): Step {
  return { state, effects: [{ type: 'publish', message }] }
}

/** Runs one step after another and joins their effects in order. */
export function chain(first: Step, next: (state: DeviceState) => Step): Step {
  const second = next(first.state)
  return { state: second.state, effects: [...first.effects, ...second.effects] }
}
