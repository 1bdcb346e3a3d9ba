import {
  type AcceptanceCase,
  deviceState,
  type VectorEffect,
  type VectorState,
} from '../../../../protocol/generate/formats/acceptance.ts'
import { clipsToText } from '../../../../protocol/money/sentence.ts'
import type { Printed } from '../../../protocol/c/build.ts'

/** A case of acceptance.json in the words of vectors.c, and what it prints in the words of acceptance.json. */

const hex = (text: string) => Buffer.from(text).toString('hex') || '-'

/** The lines that put the C device into the state before, let the event happen, and ask for the state after. */
export function linesOf({ before, event }: AcceptanceCase): string[] {
  return [...stateLines(before, event.type), eventLine(event), 'puback-all', 'state']
}

function stateLines(before: VectorState, event: AcceptanceCase['event']['type']): string[] {
  const { code, qr, profile, missed } = before
  const phase = before.welcomed ? 'welcomed' : event === 'suback' ? 'connecting' : 'born'
  const { serial, key, fw, model, rx, played, settingsVer, volume, lang, languages, caps } = before
  return [
    `device ${[serial, key, fw, model, rx, played, settingsVer, volume, lang, languages, caps].join(' ')}`,
    `session ${[before.sid, phase, before.welcomeN, before.clock, before.shown, before.identified].join(' ')}`,
    ...(before.nextKey === null ? [] : [`next-key ${before.nextKey}`]),
    ...(before.linked === null ? [] : [`linked ${before.linked ? 'yes' : 'no'}`]),
    ...(before.display === 'broken' ? ['broken display'] : []),
    ...(before.audio === 'broken' ? ['broken audio'] : []),
    ...(code ? [`screen code ${code.code} ${code.exp}`] : []),
    ...(qr ? [`screen qr ${hex(qr.qr)} ${qr.amount} ${hex(qr.bill)} ${qr.exp}`] : []),
    ...(profile
      ? [`screen profile ${hex(profile.name)} ${hex(profile.qr)} ${profile.locked ? 'locked' : 'open'}`]
      : []),
    ...(missed ? [`screen missed ${missed.count} ${missed.amount}`] : []),
    ...soundLines(before),
    ...before.failed.map(({ id, rc }) => `ack ${id} 0 failed ${rc} stored`),
    ...before.unconfirmed.map(({ id, n, st, rc }) => `ack ${id} ${n} ${st} ${rc ?? '-'} open`),
  ]
}

function soundLines({ sounding, waiting, busy }: VectorState): string[] {
  return [
    ...(sounding ? [`sound ${sounding.t} ${sounding.id} ${sounding.n} 4294967295 1 vi 1`, 'sounding'] : []),
    ...waiting.map(
      ({ t, id, n, until, amount, lang, clips }) =>
        `sound ${t} ${id} ${n} ${until} ${amount} ${lang} ${clips.replaceAll(' ', ',')}`,
    ),
    ...(busy ? ['busy'] : []),
  ]
}

function eventLine(event: AcceptanceCase['event']): string {
  if (event.type !== 'frame') return event.type.replace('_', '-')
  return `frame ${Buffer.from(event.frameBase64, 'base64').toString('hex') || '-'}`
}

/** What a case asks for, as far as the device prints it: clips as the text that they say. */
export function expectedOf({ before, sends, effects, after }: AcceptanceCase) {
  return {
    sends: sends.map(({ kind, frame }) => ({ kind, frame })),
    effects: effects.map((effect) => {
      if (effect.do !== 'speak') return effect
      const { clips: _, ...spoken } = effect
      return spoken
    }),
    after: viewOf(deviceState.parse({ ...before, ...after }), before),
  }
}

/** The parts of a state that can change. A refusal that was not confirmed is remembered as one, too. */
function viewOf(state: VectorState, before: VectorState) {
  const { welcomed, welcomeN, clock, linked, played, shown, identified, nextKey } = state
  const { settingsVer, volume, lang, code, qr, profile, missed, sounding, waiting, busy } = state
  const unconfirmed = before.unconfirmed.flatMap(({ id, rc }) => (rc === undefined ? [] : [{ id, rc }]))
  return {
    ...{ welcomed, welcomeN, clock, linked, played, shown, identified, nextKey },
    ...{ settingsVer, volume, lang, code, qr, profile, missed, sounding, busy },
    waiting: waiting.map(({ clips, ...rest }) => ({ ...rest, text: clipsToText(rest.lang, clips) })),
    failed: [...unconfirmed, ...state.failed].map(({ id, rc }) => ({ id, rc })),
    unconfirmed: state.unconfirmed.map(({ id, n, st }) => ({ id, n, st })),
  }
}

/** What the device did, of what it printed with its state at the end. */
export function outcomeOf(printed: Printed[], before: VectorState) {
  const sends = printed.filter(({ send }) => send !== undefined && send !== 'telemetry')
  return {
    sends: sends.map(({ send, frame }) => ({ kind: send, frame })),
    effects: printed.flatMap((line) => effectOf(line, before)),
    after: stateOf(Object(printed.at(-1)?.state), before),
  }
}

function effectOf(line: Printed, { played }: VectorState): (Partial<VectorEffect> | Printed)[] {
  const { event, why: _why, currency: _currency, amount, n, keep, keepKeys, ...rest } = line
  switch (event) {
    case undefined: {
      if (keepKeys !== undefined) {
        const { current: key, next } = Object(keepKeys)
        return [{ do: 'write_keys', key, nextKey: next || null }]
      }
      if (keep === undefined) return []
      const { played: now, ...settings } = Object(keep)
      return [now === played ? { do: 'write_settings', ...settings } : { do: 'write', played: now }]
    }
    case 'announce':
      return [{ do: 'speak', n, ...rest }]
    case 'identify':
      return [{ do: 'beep', n }]
    case 'cleared':
      return [{ do: 'clear', ...rest }]
    case 'qr':
    case 'missed':
    case 'paid':
      return [{ do: `show_${event}`, amount, ...rest }]
    case 'code':
    case 'profile':
      return [{ do: `show_${event}`, ...rest }]
    default:
      return []
  }
}

interface PrintedSound {
  t: string
  id: string
  n: number
}
interface PrintedAck {
  id: string
  n: number
  st: string
  rc: string
  stored: boolean
}

/** The state as the device printed it, in the words of acceptance.json. What no session knows yet is null. */
function stateOf(state: Record<string, unknown>, before: VectorState) {
  const { welcomed, linked, played, shown, identified, settingsVer, volume, lang } = state
  const sounds = state.sounds as PrintedSound[] // the order and fields are those of print_sound in state.c
  const acks = state.acks as PrintedAck[] // likewise of print_ack
  const first = state.sounding ? sounds[0] : undefined
  return {
    ...{ welcomed, linked, played, settingsVer, volume, lang },
    nextKey: state.nextKey || null,
    shown: welcomed ? shown : 0,
    identified: welcomed ? identified : 0,
    welcomeN: welcomed ? state.welcomeN : null,
    clock: welcomed ? state.clock : null,
    code: state.hasCode ? { code: state.code, exp: state.codeExp } : null,
    qr: state.hasQr ? { qr: state.qr, amount: state.qrAmount, bill: state.qrBill, exp: state.qrExp } : null,
    profile: state.hasProfile
      ? { name: state.name, qr: state.staticQr, ...(state.locked === true && { locked: true }) }
      : null,
    missed: state.hasMissed ? { count: state.missedCount, amount: state.missedAmount } : null,
    sounding: first ? { t: first.t, id: first.id, n: first.n } : null,
    busy: before.busy && sounds.some(({ id }) => id === ''),
    waiting: sounds.slice(first ? 1 : 0).filter(({ t }) => t === 'announce'),
    failed: acks.filter(({ st }) => st === 'failed').map(({ id, rc }) => ({ id, rc })),
    unconfirmed: acks.filter(({ stored }) => !stored).map(({ id, n, st }) => ({ id, n, st })),
  }
}
