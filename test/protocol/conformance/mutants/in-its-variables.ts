import type { Packet } from 'mqtt-packet'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Memory } from '../../../../simulator/speaker/memory/memory.ts'
import { always } from '../support/bends.ts'
import { hearsFrames } from '../support/sealing.ts'
import { before } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

type Fields = Record<string, unknown>

const caps = ['speaker', 'screen', 'qr', 'rekey', 'update']

/** Mistakes of variables and buffers that are too small. test/protocol/c/plants has more of them, in C. */
export const IN_ITS_VARIABLES: readonly Mutant[] = [
  {
    name: 'knows a type by its first letters',
    mutation: () => ({
      line: hearsFrames((body) =>
        ['clea', 'clear-all'].includes(String(body.t)) ? { ...body, t: 'clear' } : undefined,
      ),
    }),
    fails: ['envelope/similar-type'],
  },
  {
    name: 'ends a text at an escaped quote',
    mutation: () => ({
      line: bodies(
        'profile',
        ({ name }) => String(name).includes('"') && { name: String(name).split('"')[0] },
      ),
    }),
    fails: ['envelope/escapes'],
  },
  {
    name: 'reads a volume into 8 bits',
    mutation: () => ({
      line: bodies('settings', ({ volume }) => Number(volume) > 255 && { volume: Number(volume) % 256 }),
    }),
    fails: ['settings/out-of-range'],
  },
  {
    name: 'compares amounts in 32 bits',
    mutation: () => ({
      line: bodies('announce', ({ amount }) => amount === '4295467296' && { amount: '500000' }),
    }),
    fails: ['screen/not-paid'],
  },
  {
    name: 'knows packet identifiers of 8 bits',
    mutation: () => ({
      line: always({
        down: (packet) => (packet.cmd === 'puback' && Number(packet.messageId) > 0xff ? [] : [packet]),
      }),
    }),
    only: ['ack/many-in-a-session'],
    fails: ['ack/many-in-a-session'],
  },
  {
    name: 'forgets the acks behind one that is stored',
    mutation: () => ({
      step: (state, event) => {
        const decided = step(state, event)
        const isStored = decided.state.pendingAcks.length < state.pendingAcks.length
        return isStored ? { ...decided, state: { ...decided.state, pendingAcks: [] } } : decided
      },
    }),
    only: ['held/acks-among-many'],
    fails: ['held/acks-among-many'],
  },
  {
    name: 'hears nothing while it speaks',
    mutation: () => ({ line: deafWhileSpeaking() }),
    only: ['order/code-while-speaking'],
    fails: [],
    warns: ['order/code-while-speaking'],
  },
  ...[true, false].map((hasScreen) => ({
    name: `has room for 26 clips, ${hasScreen ? 'and a screen' : 'and no screen'}`,
    profile: { caps: hasScreen ? ['speaker', 'screen'] : ['speaker'] },
    mutation: () => ({
      line: bodies('announce', ({ clips }) => String(clips).split(' ').length > 26 && { clips: '' }),
    }),
    only: ['size/longest-sentence', 'order/code-while-speaking'],
    fails: [hasScreen ? 'order/code-while-speaking' : 'size/longest-sentence'],
  })),
  {
    name: 'has room for 31 characters of a version',
    profile: { caps },
    mutation: () => ({ line: bodies('update', ({ fw }) => String(fw).length > 31 && { fw: '' }) }),
    only: ['update'],
    fails: ['update/longest-offer'],
  },
  {
    name: 'takes an identify below the last played for a repeat',
    mutation: () => ({
      step: before('identify', ({ link, memory }, { n }) =>
        link.phase === 'welcomed' && n < memory.played ? { link: { ...link, identified: n } } : {},
      ),
    }),
    fails: ['held/identify-overtaken'],
  },
  {
    name: 'stores what it has played when nothing waits',
    mutation: () => ({
      step: (state, event) => {
        const { state: next, effects } = step(state, event)
        const isSpared = next.queue.length > 0
        return { state: next, effects: effects.filter(({ type }) => !isSpared || type !== 'persist') }
      },
    }),
    fails: ['dedupe/power-cut-with-one-waiting'],
  },
  {
    name: 'stores 24 bits of what it has played',
    mutation: () => ({ afterPowerCut: (kept) => ({ ...kept, played: kept.played & 0xff_ffff }) }),
    fails: ['numbers/kept-over-power-cut'],
  },
  {
    name: 'stores 16 bits of the version of its settings',
    mutation: () => ({
      afterPowerCut: ({ settings, ...kept }) => ({
        ...kept,
        settings: { ...settings, ver: settings.ver & 0xffff },
      }),
    }),
    fails: ['numbers/version-kept'],
  },
  {
    name: 'does not store its language',
    mutation: () => ({
      afterPowerCut: ({ settings, ...kept }) => ({ ...kept, settings: { ...settings, lang: 'vi' } }),
    }),
    fails: ['settings/language-over-power-cut'],
  },
  {
    name: 'stores the old key beside the new one for ever',
    profile: { caps },
    mutation: () => ({ afterPowerCut: withOldKey }),
    only: ['rekey/old-key-forgotten-over-power-cut'],
    fails: ['rekey/old-key-forgotten-over-power-cut'],
  },
]

/** Reads other fields in the bodies of one type. */
function bodies(t: string, change: (d: Fields) => Fields | false) {
  return hearsFrames((body) => {
    const d: Fields = Object(body.d)
    const changed = body.t === t && change(d)
    return changed ? { ...body, d: { ...d, ...changed } } : undefined
  })
}

function withOldKey({ keys, ...kept }: Memory): Memory {
  if (!keys) return kept
  const { given, current, next = current } = keys
  return { ...kept, keys: { given, current: given, next } }
}

/** Its loop stands still from the start of a sentence to its end. */
function deafWhileSpeaking() {
  const waiting: Packet[] = []
  let isSpeaking = false
  return always({
    up: (packet, { toDevice }) => {
      const { st }: Fields = packet.cmd === 'publish' ? Object(JSON.parse(String(packet.payload))) : {}
      if (st === 'played') {
        isSpeaking = false
        for (const one of waiting.splice(0)) toDevice(one)
      }
      return [packet]
    },
    down: (packet) => {
      if (packet.cmd !== 'publish') return [packet]
      if (isSpeaking) {
        waiting.push(packet)
        return []
      }
      isSpeaking = JSON.parse(String(packet.payload)).t === 'announce'
      return [packet]
    },
  })
}
