import { step } from '../../../../simulator/speaker/device/device.ts'
import { always } from '../support/bends.ts'
import { hearsFrames } from '../support/sealing.ts'
import { acks, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

type Fields = Record<string, unknown>

const FOR_EVER = 4e9
const TWO_BUFFERS = 1_024

/** Mistakes in what the device takes for a valid command, and in which of its checks decides. */
export const IN_ITS_BODIES: readonly Mutant[] = [
  {
    name: 'takes a volume above 100 for 100',
    mutation: () => ({ line: bodies('settings', ({ volume }) => Number(volume) > 100 && { volume: 100 }) }),
    fails: ['settings/out-of-range'],
  },
  {
    name: 'does not apply the language of its settings',
    mutation: () => ({ line: bodies('settings', ({ lang }) => lang === 'en' && { lang: 'vi' }) }),
    fails: ['settings/language', 'settings/language-over-power-cut'],
  },
  {
    name: 'speaks an amount of 0',
    mutation: () => ({ line: bodies('announce', ({ amount }) => amount === '0' && { amount: '1' }) }),
    fails: ['envelope/amount-out-of-range'],
    likely: { 'envelope/amount-out-of-range': /a body that violates its schema is obeyed/ },
  },
  {
    name: 'speaks an amount of 14 digits',
    mutation: () => ({
      line: bodies('announce', ({ amount }) => String(amount).length === 14 && { amount: '1' }),
    }),
    fails: ['envelope/amount-out-of-range'],
  },
  {
    name: 'shows a code of five digits',
    mutation: () => ({
      line: bodies('code', ({ code }) => String(code).length === 5 && { code: `0${code}` }),
    }),
    fails: ['envelope/screen-out-of-range'],
  },
  {
    name: 'shows a notice of no missed payments',
    mutation: () => ({ line: bodies('missed', ({ count }) => count === 0 && { count: 1 }) }),
    only: ['envelope'],
    fails: ['envelope/screen-out-of-range'],
  },
  {
    name: 'shows a code without its end for ever',
    mutation: () => ({ line: bodies('code', ({ exp }) => exp === undefined && { exp: FOR_EVER }) }),
    only: ['envelope'],
    fails: ['envelope/screen-out-of-range'],
  },
  {
    name: 'shows a QR without its end for ever',
    mutation: () => ({ line: bodies('qr', ({ exp }) => exp === undefined && { exp: FOR_EVER }) }),
    only: ['envelope'],
    fails: ['envelope/qr-lacks-field'],
  },
  {
    name: 'is never as loud as it can be',
    mutation: () => ({ line: bodies('settings', ({ volume }) => volume === 100 && { volume: 99 }) }),
    fails: ['settings/out-of-range'],
  },
  {
    name: 'reads the exp of a code in 32 bits with a sign',
    mutation: () => ({ step: hears('code', ({ d }) => ({ d: { ...d, exp: d.exp | 0 } })) }),
    fails: ['limits/latest-exp'],
  },
  {
    name: 'adds at and ttl in 32 bits with a sign',
    mutation: () => ({ step: hears('clear', ({ at, ttl }) => ({ ttl: ((at + ttl) | 0) - at })) }),
    fails: ['expiry/after-2038'],
  },
  {
    name: 'has room for 13 digits of a sum',
    mutation: () => ({
      line: bodies('missed', ({ amount }) => String(amount).length > 13 && { amount: '' }),
    }),
    fails: ['limits/largest-sum'],
  },
  {
    name: 'takes a QR without a bill for none',
    mutation: () => ({ line: bodies('qr', ({ bill }) => bill === '' && { bill: undefined }) }),
    fails: ['limits/empty-bill'],
  },
  {
    name: 'answers a command without a type',
    mutation: () => ({ line: frames(({ t }) => t === undefined && { t: 'none' }) }),
    fails: ['envelope/no-type'],
  },
  {
    name: 'cuts a command number to 32 bits',
    mutation: () => ({ line: frames(({ n }) => Number(n) > 0xffff_ffff && { n: Number(n) % 2 ** 32 }) }),
    only: ['limits'],
    fails: ['limits/numbers-beyond-32-bits'],
  },
  {
    name: 'cuts the time of a command to 32 bits',
    mutation: () => ({ line: frames(({ at }) => Number(at) > 0xffff_ffff && { at: FOR_EVER }) }),
    fails: ['limits/numbers-beyond-32-bits'],
  },
  {
    name: 'takes a welcome without a time for a welcome',
    mutation: () => ({ line: bodies('welcome', ({ now }) => now === undefined && { now: 0 }) }),
    fails: ['session/nothing-before-welcome'],
  },
  {
    name: 'loses its place behind a packet of several buffers',
    mutation: () => ({
      line: always({
        down: (packet, { cut }) => {
          if (packet.cmd === 'publish' && packet.payload.length > TWO_BUFFERS) cut()
          return [packet]
        },
      }),
    }),
    fails: ['size/over-buffer'],
  },
  {
    name: 'looks at the time before it looks for the clips',
    mutation: () => ({ step: looksAtTimeFirst() }),
    fails: ['envelope/unknown-clip'],
  },
  {
    name: 'looks at the time before it reads the body',
    mutation: () => ({
      line: frames(
        ({ t, ttl, d }) =>
          t === 'announce' &&
          ttl === 5 &&
          Object(d).clips === undefined && { d: { ...Object(d), clips: 'dong' } },
      ),
    }),
    fails: ['envelope/body-lacks-field'],
  },
  {
    name: 'looks for the clips of a repeat',
    mutation: () => ({
      step: (state, event) => {
        const isOdd = event.type === 'command' && event.command.t === 'announce' && isUnknown(event.command.d)
        return step(isOdd ? { ...state, memory: { ...state.memory, played: 0 } } : state, event)
      },
    }),
    fails: ['dedupe/number-not-above'],
  },
  {
    name: 'looks at its volume before it looks for the clips',
    mutation: () => ({ step: saysMutedFor('no_clip') }),
    fails: ['settings/muted'],
  },
  {
    name: 'looks at its volume before it looks at the time',
    mutation: () => ({ step: saysMutedFor('expired') }),
    fails: ['settings/muted'],
  },
]

type Change = (body: Fields) => Fields | false

/** Reads some frames with other fields. */
function frames(change: Change) {
  return hearsFrames((body) => {
    const changed = change(body)
    return changed ? { ...body, ...changed } : undefined
  })
}

/** Reads the bodies of some commands of a type with other fields. */
function bodies(type: string, change: Change) {
  return frames(({ t, d }) => {
    const changed = t === type && change(Object(d))
    return changed && { d: { ...Object(d), ...changed } }
  })
}

const isUnknown = ({ clips }: { clips: string }) => clips.includes('gazillion')

/** A late announcement has all its clips, as far as it knows. */
function looksAtTimeFirst(): Decide {
  let nowMs = 0
  const decide = hears('announce', ({ at, ttl, n, d }, { memory, hubAheadMs }) =>
    isUnknown(d) && n > memory.played && (at + ttl) * 1000 < nowMs + hubAheadMs
      ? { d: { ...d, clips: 'dong' } }
      : {},
  )
  return (state, event) => {
    nowMs = event.nowMs
    return decide(state, event)
  }
}

function saysMutedFor(rc: 'no_clip' | 'expired'): Decide {
  return acks((body, { memory }, t) => [
    t === 'announce' && body.rc === rc && memory.settings.volume === 0 ? { ...body, rc: 'muted' } : body,
  ])
}
