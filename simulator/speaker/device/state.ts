import type { Ack, ReasonCode } from '../../../protocol/messages/ack.ts'
import type { CommandBody } from '../../../protocol/messages/command.ts'
import type { Language } from '../../../protocol/money/language.ts'
import type { Effect } from './effects.ts'
import type { Fault } from './faults.ts'
import type { Happening } from './happenings.ts'
import type { Memory } from './memory/memory.ts'

/** Milliseconds by language and clip id. */
export type ClipLengths = Partial<Record<Language, Readonly<Record<string, number>>>>

/** The hardware, as far as the speaker's behaviour depends on it. */
export interface DeviceConfig {
  firmware: string
  model: string
  /** Bytes of the receive buffer for a whole PUBLISH. */
  rxBytes: number
  /** How long a clip sounds that `clipLengths` doesn't know. */
  msPerClip: number
  /** How long each clip of its packs takes in a sentence. */
  clipLengths: ClipLengths
  /** The clip packs it has. */
  languages: readonly Language[]
  /** What it was built with; commands for anything else are `unsupported` (sb/1 7.17). */
  caps: readonly Cap[]
  /** Between how many milliseconds a packet is late while the link is slow, each way. */
  slowLinkMs: { least: number; most: number }
}

export const CAPS = ['screen', 'speaker', 'qr'] as const
export type Cap = (typeof CAPS)[number]

export const DEFAULT_CONFIG: DeviceConfig = {
  firmware: '0.1.0',
  model: 'terminal',
  rxBytes: 512,
  msPerClip: 220,
  clipLengths: {},
  languages: ['vi', 'en'],
  caps: CAPS,
  slowLinkMs: { least: 1_500, most: 4_000 },
}

/** What a speaker measures about itself, in the units of telemetry (sb/1 9). */
export interface Vitals {
  /** Percent. */
  battery: number
  /** dBm. */
  signal: number
}

/** A speaker on mains power in a shop with good reception. */
export const STEADY: Vitals = { battery: 100, signal: -55 }

/** How far the speaker has come in talking to the hub. Only a `welcomed` one may be told anything. */
export type Link =
  | { phase: 'connecting' }
  | { phase: 'offline'; reason: string; retryAtMs: number | undefined }
  | { phase: 'born'; sid: string }
  | {
      phase: 'welcomed'
      sid: string
      welcomeId: string
      /** The number of the last screen command applied in this session; 0 before the first. */
      shown: number
      /** The same for `identify`. */
      identified: number
      /** When telemetry is next due, on the speaker's clock. */
      telemetryAtMs: number
    }

/** Something to be heard, waiting or sounding. `goodUntil` is Unix seconds on the hub's clock. */
export type Sound =
  | { t: 'announce'; id: string; n: number; goodUntil: number; body: CommandBody<'announce'>; text: string }
  | { t: 'identify'; id: string; n: number; goodUntil: number }

/** An ack that the hub has not confirmed as stored. Resent after each welcome until it has. */
export interface PendingAck {
  token: number
  body: Ack
}

/** A timed thing on the screen; `untilMs` is on the speaker's own clock. */
export interface Notice {
  amount: string
  untilMs: number
}

export interface DeviceState {
  config: DeviceConfig
  /** In the order of `FAULTS`. */
  faults: readonly Fault[]
  /** The battery and signal that were last told of. */
  vitals: Vitals
  /** Since when the battery runs low, on the speaker's clock; undefined while it does not. */
  drainingSinceMs: number | undefined
  memory: Memory
  link: Link
  /** The hub's clock minus the speaker's own, from the last welcome. */
  hubAheadMs: number
  /** From the last welcome or profile; undefined before the first. */
  linked: boolean | undefined
  profile: CommandBody<'profile'> | undefined
  code: CommandBody<'code'> | undefined
  qr: CommandBody<'qr'> | undefined
  paid: (Notice & { bill: string }) | undefined
  missed: (Notice & { count: number }) | undefined
  /** What waits to be heard, by rising number. */
  queue: readonly Sound[]
  sounding: { sound: Sound; sinceMs: number; untilMs: number } | undefined
  pendingAcks: readonly PendingAck[]
  nextToken: number
  /** Commands that ended in `failed`, oldest first: a repeat of one hears the same again. */
  failures: readonly { id: string; rc: ReasonCode }[]
}

/** A speaker that has just been switched on. */
export function switchedOn(
  memory: Memory,
  config: DeviceConfig = DEFAULT_CONFIG,
  faults: readonly Fault[] = [],
): DeviceState {
  return {
    config,
    faults,
    vitals: STEADY,
    drainingSinceMs: undefined,
    memory,
    link: { phase: 'connecting' },
    hubAheadMs: 0,
    linked: undefined,
    profile: undefined,
    code: undefined,
    qr: undefined,
    paid: undefined,
    missed: undefined,
    queue: [],
    sounding: undefined,
    pendingAcks: [],
    nextToken: 1,
    failures: [],
  }
}

/** What one event leads to. */
export interface Step {
  state: DeviceState
  effects: readonly Effect[]
}

/** A step that changes the state at most. */
export function quietly(state: DeviceState): Step {
  return { state, effects: [] }
}

/** A step with one thing to notice. */
export function noticed(state: DeviceState, happening: Happening): Step {
  return { state, effects: [{ type: 'happened', happening }] }
}

/** One step after another, with the effects of both in order. */
export function chain(first: Step, next: (state: DeviceState) => Step): Step {
  const second = next(first.state)
  return { state: second.state, effects: [...first.effects, ...second.effects] }
}
