import { textOf } from '#platform'
import { sealFrame, upPrefix } from '../../../../protocol/frame.ts'
import type {
  AcceptanceCase,
  VectorEffect,
  VectorEvent,
  VectorState,
} from '../../../../protocol/generate/formats/acceptance.ts'
import { type DeviceKeys, deriveKeys, parseKey } from '../../../../protocol/keys.ts'
import { clipsToText } from '../../../../protocol/money/sentence.ts'
import { readIncoming } from '../../../../simulator/speaker/connection/incoming.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import { MAX_QUEUED } from '../../../../simulator/speaker/device/sounds.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import type { DeviceEvent } from '../../../../simulator/speaker/device/state/events.ts'
import type { Fault } from '../../../../simulator/speaker/device/state/faults.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import {
  CAPS,
  chain,
  DEFAULT_CONFIG,
  type DeviceState,
  type Sound,
  type Step,
  switchedOn,
} from '../../../../simulator/speaker/device/state/state.ts'

/** The device's own clock, hours from the hub's: code that confuses them fails. */
const OWN_CLOCK_MS = 1_700_000_000_123
const LATER_MS = 24 * 60 * 60_000
const SOUND_MS = 60_000

/** The simulated device's result of a case, in the terms of the vectors. */
export function run({ before, event }: AcceptanceCase) {
  const state = stateOf(before, event)
  if (event.type === 'power_cut')
    return { sends: [], effects: [], after: viewOf(switchedOn(state.memory, state.config), before) }
  const done = withPubacks(step(state, eventOf(before, event)))
  return {
    sends: done.effects.flatMap((effect) => sendOf(before, effect)),
    effects: done.effects.flatMap((effect) => effectOf(before, effect, done.state)),
    after: viewOf(done.state, before),
  }
}

/** Each ack gets its PUBACK at once. */
function withPubacks(first: Step): Step {
  const acks = first.effects.flatMap((effect) =>
    effect.type === 'publish' && effect.message.kind === 'ack' ? [effect.message] : [],
  )
  return acks.reduce(
    (done, { token }) =>
      chain(done, (state) => withPubacks(step(state, { type: 'ack_stored', token, nowMs: OWN_CLOCK_MS }))),
    first,
  )
}

function keysOf({ key }: VectorState): DeviceKeys {
  const parsed = parseKey(key)
  if (!parsed) throw new Error(`not a device key: ${key}`)
  return deriveKeys(parsed)
}

/** The K before a session under the next one. */
const OLD_KEY = Buffer.alloc(32, 1).toString('base64url')

function stateOf(before: VectorState, event: VectorEvent): DeviceState {
  const { settingsVer: ver, volume, lang, played, failed, sid, key, nextKey } = before
  const current = nextKey === key ? OLD_KEY : key
  const keys = nextKey === null ? {} : { keys: { given: current, current, next: nextKey } }
  const memory = { played, settings: { ver, volume, lang }, ...keys }
  const config = {
    ...DEFAULT_CONFIG,
    firmware: before.fw,
    model: before.model,
    rxBytes: before.rx,
    languages: before.languages,
    caps: CAPS.filter((cap) => before.caps.includes(cap)),
  }
  return {
    ...switchedOn(memory, config, faultsOf(before)),
    link: linkOf(before, event),
    hubAheadMs: (before.clock ?? 0) * 1_000 - OWN_CLOCK_MS,
    linked: before.linked ?? undefined,
    profile: before.profile ?? undefined,
    code: before.code ?? undefined,
    qr: before.qr ?? undefined,
    missed:
      before.missed === null
        ? undefined
        : { ...before.missed, leftMs: LATER_MS, seenSinceMs: undefined, unseen: undefined },
    queue: [...before.waiting.map(soundOf), ...(before.busy ? crowd() : [])],
    sounding: soundingOf(before, event),
    failures: failed,
    givenUp: before.unconfirmed.flatMap(({ st, id }) => (st === 'failed' ? [id] : [])),
    pendingAcks: before.unconfirmed.map((body, index) => ({ token: index + 1, body })),
    nextToken: before.unconfirmed.length + 1,
  }

  function linkOf({ key, welcomed, welcomeN, shown, identified }: VectorState, { type }: VectorEvent) {
    if (welcomed && welcomeN !== null)
      return {
        phase: 'welcomed' as const,
        ...{ sid, key, welcomeN, shown, identified, telemetryAtMs: OWN_CLOCK_MS + LATER_MS },
      }
    return type === 'suback' ? ({ phase: 'connecting' } as const) : ({ phase: 'born', sid, key } as const)
  }
}

function faultsOf({ display, audio }: VectorState): Fault[] {
  return [
    ...(display === 'works' ? [] : ['broken-display' as const]),
    ...(audio === 'works' ? [] : ['broken-audio' as const]),
  ]
}

function soundOf({ t, id, n, until, amount, lang, clips }: VectorState['waiting'][number]): Sound {
  const text = clipsToText(lang, clips) ?? ''
  return { t, id, n, validUntil: until, body: { amount, currency: 'VND', lang, clips }, text }
}

/** A full queue. */
function crowd(): Sound[] {
  return Array.from({ length: MAX_QUEUED }, (_, index) => ({
    t: 'identify',
    id: `0000000000000000000000${String(1_000 + index)}`,
    n: 1_000 + index,
    validUntil: 4_294_967_295,
  }))
}

function soundingOf({ sounding }: VectorState, { type }: VectorEvent): DeviceState['sounding'] {
  if (!sounding) return undefined
  const { t, id, n } = sounding
  const rest = { id, n, validUntil: 4_294_967_295 }
  const body = { amount: '1', currency: 'VND', lang: 'vi', clips: '1' } as const
  const sound: Sound = t === 'identify' ? { t, ...rest } : { t, ...rest, body, text: '' }
  const untilMs = type === 'sound_end' ? OWN_CLOCK_MS : OWN_CLOCK_MS + SOUND_MS
  return { sound, sinceMs: untilMs - SOUND_MS, untilMs }
}

function eventOf(before: VectorState, event: Exclude<VectorEvent, { type: 'power_cut' }>): DeviceEvent {
  const nowMs = OWN_CLOCK_MS
  switch (event.type) {
    case 'suback':
      return { type: 'opened', sid: before.sid, key: before.key, nowMs }
    case 'sound_end':
    case 'clock':
      return { type: 'tick', nowMs }
    case 'frame': {
      const { incoming } = readIncoming(keysOf(before).down, before, Buffer.from(event.frameBase64, 'base64'))
      // An ignored frame never reaches the device: for it, only time passes.
      return incoming.type === 'ignored' ? { type: 'tick', nowMs } : { ...incoming, nowMs }
    }
  }
}

/** An upward message with the connection's bytes; omits telemetry and the birth's clock. */
function sendOf(before: VectorState, effect: Effect): AcceptanceCase['sends'] {
  if (effect.type !== 'publish' || effect.message.kind === 'telemetry') return []
  const { kind, body } = effect.message
  const fields = JSON.parse(JSON.stringify(body))
  if (kind === 'birth') delete fields.at
  const prefix = upPrefix(before.serial, before.sid, kind)
  return [{ kind, fields, frame: textOf(sealFrame(keysOf(before).up, prefix, fields)) }]
}

function effectOf(before: VectorState, effect: Effect, after: DeviceState): VectorEffect[] {
  switch (effect.type) {
    case 'publish':
    case 'switch_off':
    case 'reconnect':
    case 'restart':
      return []
    case 'persist': {
      const { played, settings, keys } = effect.memory
      const [key = before.key, nextKey = null] = [keys?.current, keys?.next]
      if (before.nextKey !== nextKey) return [{ do: 'write_keys', key, nextKey }]
      if (nextKey !== null) return []
      if (played !== before.played) return [{ do: 'write', played }]
      return [{ do: 'write_settings', ...settings }]
    }
    case 'emit':
      return effectsOf(effect.event, after)
  }
}

function effectsOf(event: SpeakerEvent, { sounding }: DeviceState): VectorEffect[] {
  switch (event.event) {
    case 'announce': {
      if (sounding?.sound.t !== 'announce') throw new Error('what is spoken sounds')
      const { lang, clips } = sounding.sound.body
      return [{ do: 'speak', n: event.n, lang, clips, text: event.text }]
    }
    case 'identify':
      return [{ do: 'beep', n: event.n }]
    case 'code':
      return [{ do: 'show_code', code: event.code, exp: event.exp }]
    case 'qr': {
      const { event: _, ...shown } = event
      return [{ do: 'show_qr', ...shown }]
    }
    case 'profile':
      return [{ do: 'show_profile', name: event.name, qr: event.qr, ...(event.locked && { locked: true }) }]
    case 'missed':
      return [{ do: 'show_missed', count: event.count, amount: event.amount }]
    case 'paid':
      return [{ do: 'show_paid', bill: event.bill, amount: event.amount }]
    case 'cleared':
      return [{ do: 'clear', what: event.what }]
    default:
      return []
  }
}

/** The device's state in the terms of the vectors; other fields stay unchanged. */
function viewOf(state: DeviceState, before: VectorState): VectorState {
  const { link, memory, config, code, qr, profile, missed, sounding } = state
  const welcomed = link.phase === 'welcomed' ? link : undefined
  const { serial, key, sid, fw, model, caps, display, audio } = before
  return {
    ...{ serial, key, sid, fw, model, caps, display, audio },
    nextKey: memory.keys?.next ?? null,
    languages: [...config.languages],
    rx: config.rxBytes,
    busy: state.queue.length >= MAX_QUEUED,
    welcomed: welcomed !== undefined,
    welcomeN: welcomed?.welcomeN ?? null,
    clock: welcomed ? Math.floor((OWN_CLOCK_MS + state.hubAheadMs) / 1_000) : null,
    linked: state.linked ?? null,
    played: memory.played,
    shown: welcomed?.shown ?? 0,
    identified: welcomed?.identified ?? 0,
    settingsVer: memory.settings.ver,
    volume: memory.settings.volume,
    lang: memory.settings.lang,
    code: code ?? null,
    qr: qr ?? null,
    profile: profile ?? null,
    missed: missed ? { count: missed.count, amount: missed.amount } : null,
    sounding: sounding ? { t: sounding.sound.t, id: sounding.sound.id, n: sounding.sound.n } : null,
    waiting: state.queue.flatMap(waitingOf),
    failed: [...state.failures],
    unconfirmed: state.pendingAcks.map(({ body }) => body),
  }
}

function waitingOf(sound: Sound): VectorState['waiting'] {
  if (sound.t !== 'announce') return []
  const { t, id, n, validUntil: until, body } = sound
  const { amount, lang, clips } = body
  return [{ t, id, n, until, amount, lang, clips }]
}
