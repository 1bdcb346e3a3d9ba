import { isUtf8 } from 'node:buffer'
import { textOf } from '#platform'
import { downPrefix, publishBytes, sealFrame, sealText, upPrefix } from '../../frame.ts'
import { deriveKeys, parseKey } from '../../keys.ts'
import type { Ack, AckStage, ReasonCode } from '../../messages/ack.ts'
import type { Envelope } from '../../messages/command.ts'
import type { Language } from '../../money/language.ts'
import { announcementClips, clipsToText } from '../../money/sentence.ts'
import { downTopic, type UpKind } from '../../topics.ts'
import type { AcceptanceCase, VectorEffect, VectorEvent, VectorState } from '../formats/acceptance.ts'

/**
 * The short form of the cases of acceptance.json. Authors write the expectations by hand from the clauses. The
 * generator computes only the bytes.
 */

/** The hub's clock in most cases. */
export const NOW = 1_763_678_400
const SERIAL = 'SPK-2026-000123'
const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const SID = '9f86d081884c7d65'
export const OTHER = {
  serial: 'PTNR2307150001',
  key: 'U62Fj8NNTHg-ZGN4eObKo6JnDGzWygN17r6XcnLA1M0',
  sid: '00000000000000ff',
}

const ULID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The default id of the command with number n. */
export function idOf(n: number): string {
  const digits = [15, 10, 5, 0].map((shift) => ULID_ALPHABET.charAt((n >> shift) & 31))
  return `01JD3Z8Q6X9V5T7M2K4N8P${digits.join('')}`
}

/** A connected, idle speaker in a shop. It has played up to 41. */
export const IDLE: VectorState = {
  serial: SERIAL,
  key: KEY,
  nextKey: null,
  sid: SID,
  fw: '1.0.0',
  model: 'SB-1',
  caps: ['screen', 'speaker', 'qr'],
  languages: ['vi', 'en'],
  rx: 512,
  display: 'works',
  audio: 'works',
  busy: false,
  welcomed: true,
  welcomeN: 40,
  clock: NOW,
  linked: true,
  played: 41,
  shown: 0,
  identified: 0,
  settingsVer: 3,
  volume: 80,
  lang: 'vi',
  code: null,
  qr: null,
  profile: { name: 'Phở Hạnh', qr: '' },
  missed: null,
  sounding: null,
  waiting: [],
  failed: [],
  unconfirmed: [],
}

/** The same speaker after its SUBACK and birth, before the welcome. */
export const BORN: Partial<VectorState> = { welcomed: false, welcomeN: null, clock: null }

/** A case before its bytes are computed. */
export interface Draft {
  name: string
  clauses: string[]
  /** Default: MUST. */
  level?: 'SHOULD'
  before?: Partial<VectorState>
  event: Exclude<VectorEvent, { type: 'frame' }> | FrameDraft
  sends?: { kind: UpKind & ('birth' | 'ack' | 'settings'); fields: Record<string, unknown> }[]
  effects?: VectorEffect[]
  after?: Partial<VectorState>
}

interface FrameDraft {
  type: 'draft'
  /** An object, or the exact text before the MAC. */
  body: object | string
  /** Key, serial or sid of the MAC, if not the device's. */
  sealed: { serial?: string; key?: string; sid?: string; keyOf?: 'down' | 'up'; prefix?: string }
  /** Changes the bytes after sealing. */
  tamper: (frame: Buffer) => Buffer
}

/** A command of the hub. Default: n 42, sent now, valid for two minutes. */
export function command(t: string, d: unknown, envelope: Partial<Envelope> = {}): FrameDraft {
  const { n = 42 } = envelope
  return raw({ t, id: idOf(n), n, at: NOW, ttl: 120, ...envelope, d })
}

/** Any body, sealed like a command. */
export function raw(body: object | string): FrameDraft {
  return { type: 'draft', body, sealed: {}, tamper: (frame) => frame }
}

export function announceBody(value: string, more: { lang?: Language; bill?: string } = {}) {
  const { lang = 'vi', ...bill } = more
  return { amount: value, currency: 'VND', lang, clips: announcementClips(lang, value), ...bill }
}

/** A waiting announcement. */
export function waitingOf(n: number, value: string, until = NOW + 120): VectorState['waiting'][number] {
  const { amount, lang, clips } = announceBody(value)
  return { t: 'announce', id: idOf(n), n, until, amount, lang, clips }
}

export const soundingOf = (n: number): VectorState['sounding'] => ({ t: 'announce', id: idOf(n), n })

/** The two effects when an announcement starts: write `played`, then speak. */
export function spoken(n: number, value: string, lang: Language = 'vi'): VectorEffect[] {
  const clips = announcementClips(lang, value)
  const text = clipsToText(lang, clips)
  if (text === undefined) throw new Error(`no text for ${clips}`)
  return [
    { do: 'write', played: n },
    { do: 'speak', n, lang, clips, text },
  ]
}

export function acked(n: number, st: AckStage, more: { rc?: ReasonCode; dup?: true; id?: string } = {}) {
  const { id = idOf(n), ...rest } = more
  const fields: Ack = { t: 'ack', id, n, st, ...rest }
  return { kind: 'ack' as const, fields }
}

export const failed = (n: number, rc: ReasonCode) => acked(n, 'failed', { rc })

/** Expectation: the device acks the command n as failed, and keeps the reason for its repeats. */
export const refuses = (n: number, rc: ReasonCode) => ({
  sends: [failed(n, rc)],
  after: { failed: [{ id: idOf(n), rc }] },
})

/** Size of the PUBLISH with this frame. */
export function publishBytesOf(event: FrameDraft): number {
  return received(IDLE, event).publish
}

/** Computes the bytes of a case. */
export function finish(draft: Draft): AcceptanceCase {
  const { name, clauses, level = 'MUST', effects = [], after = {}, sends = [] } = draft
  const before = { ...IDLE, ...draft.before }
  const event = draft.event.type === 'draft' ? received(before, draft.event) : draft.event
  return {
    name,
    clauses,
    level,
    before,
    event,
    sends: sends.map(({ kind, fields }) => {
      const frame = sealFrame(keysOf(before.key).up, upPrefix(before.serial, before.sid, kind), fields)
      return { kind, fields, frame: textOf(frame) }
    }),
    effects,
    after,
  }
}

function received(before: VectorState, { body, sealed, tamper }: FrameDraft) {
  const { serial, key, sid, keyOf = 'down', prefix } = { ...pick(before), ...sealed }
  const mac = [keysOf(key)[keyOf], prefix ?? downPrefix(serial, sid)] as const
  const right = typeof body === 'string' ? sealText(...mac, body) : sealFrame(...mac, body)
  const frame = tamper(Buffer.from(right))
  return {
    type: 'frame' as const,
    frame: isUtf8(frame) ? frame.toString() : null,
    frameBase64: frame.toString('base64'),
    publish: publishBytes(downTopic(before.serial), frame),
  }
}

function pick({ serial, key, sid }: VectorState) {
  return { serial, key, sid }
}

function keysOf(key: string) {
  const parsed = parseKey(key)
  if (!parsed) throw new Error(`not a device key: ${key}`)
  return deriveKeys(parsed)
}
