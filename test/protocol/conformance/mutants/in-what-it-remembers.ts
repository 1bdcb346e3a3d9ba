import { step } from '../../../../simulator/speaker/device/device.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import type { Step } from '../../../../simulator/speaker/device/state/state.ts'
import { FACTORY_MEMORY } from '../../../../simulator/speaker/memory/memory.ts'
import { acks, before, type Decide } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes in what the device keeps, counts and forgets. */
export const IN_WHAT_IT_REMEMBERS: readonly Mutant[] = [
  {
    name: 'speaks a repeat again',
    mutation: () => ({
      step: before('announce', ({ memory }, { n }) => ({
        memory: { ...memory, played: Math.min(memory.played, n - 1) },
      })),
    }),
    fails: [
      'dedupe/repeat-when-played',
      'dedupe/number-not-above',
      'dedupe/repeat-of-played-when-late',
      'dedupe/played-over-reconnect',
      'dedupe/played-over-power-cut',
      'dedupe/power-cut-while-speaking',
      'numbers/kept',
      'dedupe/power-cut-with-one-waiting',
    ],
    likely: { 'dedupe/repeat-when-played': /the repeat is carried out again: keep the n/ },
  },
  {
    name: 'forgets in a power cut what it has played',
    mutation: () => ({ afterPowerCut: (kept) => ({ ...kept, played: 0 }) }),
    fails: [
      'dedupe/played-over-power-cut',
      'dedupe/power-cut-while-speaking',
      'dedupe/power-cut-with-one-waiting',
      'numbers/kept-over-power-cut',
    ],
    likely: { 'dedupe/played-over-power-cut': /`played` was not stored when the audio started/ },
  },
  {
    name: 'writes down what it has played when the sound ends',
    mutation: () => ({ step: writesAtEnd() }),
    fails: ['dedupe/power-cut-while-speaking'],
  },
  {
    name: 'forgets its settings in a power cut',
    mutation: () => ({ afterPowerCut: (kept) => ({ ...kept, settings: FACTORY_MEMORY.settings }) }),
    fails: ['settings/kept-over-power-cut', 'settings/language-over-power-cut', 'numbers/version-kept'],
  },
  {
    name: 'keeps the version of its settings in a power cut, and not its volume',
    mutation: () => ({
      afterPowerCut: (kept) => ({
        ...kept,
        settings: { ...kept.settings, volume: FACTORY_MEMORY.settings.volume },
      }),
    }),
    fails: ['settings/kept-over-power-cut'],
    likely: { 'settings/kept-over-power-cut': /apply and store all its fields together/ },
  },
  {
    name: 'forgets the acks that were not stored',
    mutation: () => ({
      step: (state, event) => step(event.type === 'closed' ? { ...state, pendingAcks: [] } : state, event),
    }),
    fails: [
      'ack/shown-again',
      'ack/resent-when-not-stored',
      'power/given-up',
      'power/before-welcome',
      'held/acks-of-several',
      'ack/none-before-welcome',
      'held/acks-among-many',
    ],
    likely: {
      'ack/resent-when-not-stored': /had no PUBACK when the connection broke, and is not sent again/,
    },
  },
  {
    name: 'forgets what it has failed',
    mutation: () => ({ step: (state, event) => step({ ...state, failures: [] }, event) }),
    fails: [],
    warns: [
      'ack/none-before-welcome',
      'dedupe/repeat-of-failed',
      'settings/muted',
      'held/failures-of-several',
    ],
  },
  {
    name: 'forgets with its birth what it has failed',
    mutation: () => ({
      step: (state, event) => step(event.type === 'opened' ? { ...state, failures: [] } : state, event),
    }),
    fails: [],
    warns: ['ack/none-before-welcome'],
  },
  {
    name: 'speaks what has failed when its volume is up again',
    mutation: () => ({
      step: (state, event) =>
        step({ ...state, failures: state.failures.filter(({ rc }) => rc !== 'muted') }, event),
    }),
    fails: [],
    warns: ['settings/muted'],
  },
  {
    name: 'has one session id for ever',
    mutation: () => ({ newSid: () => '9f86d081884c7d65' }),
    fails: ['session/sid-new', 'mac/recording'],
    likely: { 'mac/recording': /sealed in an earlier session: make a new sid for each CONNECT/ },
  },
  {
    name: 'counts its session ids',
    mutation: () => ({ newSid: counting() }),
    fails: [],
    warns: ['session/sid-random'],
  },
  {
    name: 'shows an older screen command',
    mutation: () => ({
      step: before('code', ({ link }) => (link.phase === 'welcomed' ? { link: { ...link, shown: 0 } } : {})),
    }),
    fails: ['order/numbers-over-welcome', 'order/older-screen-command', 'order/older-qr'],
  },
  {
    name: 'counts screen commands over all sessions',
    mutation: () => ({ step: countsForEver() }),
    fails: ['order/numbers-of-a-session'],
  },
  {
    name: 'has one count for sounds and screens',
    mutation: () => ({ step: countsTogether() }),
    fails: [
      'order/code-overtakes',
      'reconnection/cut-within-packet',
      'numbers/kept',
      'order/only-announcements-count',
    ],
    warns: ['held/by-number'],
  },
  {
    name: 'takes older settings',
    mutation: () => ({
      step: before('settings', ({ memory }, { d }) => ({
        memory: {
          ...memory,
          settings: { ...memory.settings, ver: Math.min(memory.settings.ver, d.ver - 1) },
        },
      })),
    }),
    fails: ['settings/older'],
  },
  {
    name: 'takes what sounds for played',
    mutation: () => ({
      step: acks((body, { sounding }) => [
        body.dup && body.st === 'received' && sounding?.sound.id === body.id
          ? { ...body, st: 'played' }
          : body,
      ]),
    }),
    fails: ['dedupe/repeat-not-played-yet'],
  },
  {
    name: 'takes what sounds for played, after it has acked the repeat',
    mutation: () => ({
      step: acks((body, { sounding }) => [
        body,
        ...(body.dup && body.st === 'received' && sounding?.sound.id === body.id
          ? [{ ...body, st: 'played' as const }]
          : []),
      ]),
    }),
    fails: ['dedupe/repeat-not-played-yet'],
  },
]

function says({ effects }: Step, event: SpeakerEvent['event']): boolean {
  return effects.some((effect) => effect.type === 'emit' && effect.event.event === event)
}

/** The count in memory goes up as the sound starts; the disk hears of it at the end. */
function writesAtEnd(): Decide {
  return (state, event) => {
    const decided = step(state, event)
    const kept = decided.effects.filter((effect) => effect.type !== 'persist' || !says(decided, 'announce'))
    const written = { type: 'persist', memory: decided.state.memory } as const
    return { ...decided, effects: says(decided, 'played') ? [written, ...kept] : kept }
  }
}

function counting(): () => string {
  let count = 0
  return () => {
    count += 1
    return (0x1234_5678_0000 + count).toString(16).padStart(16, '0')
  }
}

function countsForEver(): Decide {
  let shown = 0
  return (state, event) => {
    const { link } = state
    const remembering =
      link.phase === 'welcomed' ? { ...state, link: { ...link, shown: Math.max(shown, link.shown) } } : state
    const next = step(remembering, event)
    if (next.state.link.phase === 'welcomed') shown = Math.max(shown, next.state.link.shown)
    return next
  }
}

function countsTogether(): Decide {
  let highest = 0
  return (state, event) => {
    if (event.type !== 'command') return step(state, event)
    const { n, t } = event.command
    const memory = { ...state.memory, played: Math.max(state.memory.played, highest) }
    const next = step(t === 'announce' && n < highest ? { ...state, memory } : state, event)
    highest = Math.max(highest, n)
    return next
  }
}
