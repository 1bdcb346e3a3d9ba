import { announcementClips } from '../../../protocol/money/sentence.ts'
import { MISSED_MS, PAYMENT_MS } from '../../speaker/device/screens.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import { type DeviceState, type Sound, switchedOn } from '../../speaker/device/state/state.ts'
import type { Memory } from '../../speaker/memory/memory.ts'
import type { DeviceLine } from './device.ts'

/**
 * What the simulator's screen needs to know of the device, from the events of the firmware alone. The firmware keeps the
 * rules; this only remembers what it has said.
 */
export function afterLine(state: DeviceState, line: DeviceLine, nowMs: number): DeviceState {
  if (line.event === 'volume') {
    const settings = { ...state.memory.settings, volume: Number(line.volume) }
    return { ...state, memory: withMemory(state, { settings }) }
  }
  const event = eventOf(line)
  if (!event) return state
  switch (event.event) {
    case 'power':
      return switchedOn(state.memory, state.config)
    case 'connected':
      return { ...state, linked: event.linked, link: WELCOMED }
    case 'disconnected':
    case 'offline':
    case 'refused': {
      const retryAtMs =
        'retryInMs' in event && event.retryInMs !== undefined ? nowMs + event.retryInMs : undefined
      return { ...state, link: { phase: 'offline', reason: event.reason, retryAtMs } }
    }
    case 'settings':
      return { ...state, memory: withMemory(state, { settings: event }) }
    case 'announce':
    case 'identify':
    case 'played':
    case 'failed':
      return afterSound(state, event, nowMs)
    default:
      return afterDisplay(state, event, nowMs)
  }
}

const WELCOMED: DeviceState['link'] = {
  ...{ phase: 'welcomed', sid: '', key: '', welcomeN: 0, shown: 0, identified: 0 },
  telemetryAtMs: Number.POSITIVE_INFINITY,
}

const withMemory = ({ memory }: DeviceState, change: Partial<Memory>): Memory => ({ ...memory, ...change })

type SoundEvent = Extract<SpeakerEvent, { event: 'announce' | 'identify' | 'played' | 'failed' }>

function afterSound(state: DeviceState, event: SoundEvent, nowMs: number): DeviceState {
  const { n } = event
  switch (event.event) {
    case 'announce': {
      const { amount, currency, lang, text, clips } = event
      const body = { amount, currency, lang, clips, text }
      const sound: Sound = { t: 'announce', id: '', n, validUntil: 0, body, text }
      const { paid } = state
      const bill = paid?.n === n ? { bill: paid.bill } : {}
      return {
        ...state,
        memory: withMemory(state, { played: n }),
        sounding: { sound, sinceMs: nowMs, untilMs: Number.POSITIVE_INFINITY },
        payment: { n, amount, untilMs: nowMs + PAYMENT_MS, ...bill },
        paid: paid?.n === n ? undefined : paid,
      }
    }
    case 'identify': {
      const sound: Sound = { t: 'identify', id: '', n, validUntil: 0 }
      return { ...state, sounding: { sound, sinceMs: nowMs, untilMs: nowMs + BEEP_MS } }
    }
    default:
      return state.sounding?.sound.n === n ? { ...state, sounding: undefined } : state
  }
}

/** The firmware tells no end of its beep. */
const BEEP_MS = 1_000

function afterDisplay(state: DeviceState, event: SpeakerEvent, nowMs: number): DeviceState {
  switch (event.event) {
    case 'profile': {
      const { name, qr, locked } = event
      const linked = name !== '' || qr !== ''
      const profile = { linked, name, qr, ...(locked && { locked: true as const }) }
      return { ...state, linked, profile, ...(linked ? {} : NOT_REGISTERED) }
    }
    case 'code':
      return { ...state, code: { code: event.code, exp: event.exp } }
    case 'qr':
      return { ...state, qr: event, payment: undefined, paid: undefined }
    case 'cleared':
      return { ...state, [event.what]: undefined }
    case 'paid':
      return { ...state, qr: undefined, paid: { ...event, untilMs: nowMs + PAYMENT_MS } }
    case 'missed': {
      const { count, amount } = event
      return { ...state, missed: { count, amount, leftMs: MISSED_MS, seenSinceMs: nowMs, unseen: undefined } }
    }
    default:
      return state
  }
}

const NOT_REGISTERED = { qr: undefined, payment: undefined, paid: undefined, missed: undefined }

/** Lets end what ends by itself. */
export function atTime(state: DeviceState, nowMs: number): DeviceState {
  const { payment, paid, missed, sounding, code, qr } = state
  const isSpoken = sounding?.sound.t === 'announce' && sounding.sound.n === payment?.n
  const isOver = (untilMs: number | undefined) => untilMs !== undefined && untilMs <= nowMs
  return {
    ...state,
    code,
    qr,
    payment: !isSpoken && isOver(payment?.untilMs) ? undefined : payment,
    paid: isOver(paid?.untilMs) ? undefined : paid,
    missed: isOver(missed && (missed.seenSinceMs ?? 0) + missed.leftMs) ? undefined : missed,
    sounding: isOver(sounding?.untilMs) ? undefined : sounding,
  }
}

/** A line as the event of a speaker, for the log of the screen; undefined for a line that it has no words for. */
export function eventOf(line: DeviceLine): SpeakerEvent | undefined {
  const given = Object(line)
  switch (line.event) {
    case 'power':
      return { event: 'power', on: given.on === true }
    case 'boot':
      return given.reset === 'power'
        ? undefined
        : { event: 'disconnected', reason: `restarted: ${given.reset}` }
    case 'announce':
      return { ...given, clips: announcementClips(given.lang, given.amount) }
    case 'missed':
      return { n: 0, ...given }
    case 'stalled':
      return { event: 'disconnected', reason: 'the hub has stored nothing for 60 s' }
    case 'modem':
      return { event: 'disconnected', reason: 'the module is reset' }
    case 'mistake':
      return { event: 'broken', reason: `the firmware ${given.what}` }
    case 'no-network':
      return { event: 'disconnected', reason: `no network: ${given.reason}` }
    case 'unprovisioned':
    case 'no-speech':
      return { event: 'broken', reason: `${given.reason}` }
    case 'log':
      return { event: 'broken', reason: `${given.text}` }
    case 'rekey':
      if (given.key === 'in use') return undefined
      return { event: 'rekey', key: given.key === 'confirmed' ? 'confirmed' : 'next' }
    case 'restart':
      return { event: 'disconnected', reason: 'it starts the new firmware' }
    default:
      return SHARED.has(line.event) ? given : undefined
  }
}

/** The events that have the same fields in the simulator. */
const SHARED = new Set([
  ...[
    'connected',
    'disconnected',
    'offline',
    'refused',
    'profile',
    'code',
    'qr',
    'cleared',
    'played',
    'paid',
  ],
  ...['identify', 'settings', 'update', 'failed', 'repeat', 'ignored', 'broken'],
])
