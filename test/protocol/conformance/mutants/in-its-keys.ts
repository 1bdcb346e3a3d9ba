import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Memory } from '../../../../simulator/speaker/memory/memory.ts'
import { acks, after, type Decide } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

const caps = ['speaker', 'screen', 'qr', 'rekey', 'update']

/** Mistakes with a new key, and with an offer of firmware. */
const MISTAKES: readonly Mutant[] = [
  {
    name: 'takes the masked key for the key',
    only: ['rekey/next-connect'],
    mutation: () => ({
      step: after('rekey', (decided, { d }) => withKeys(decided, (keys) => ({ ...keys, next: d.key }))),
    }),
    fails: ['rekey/next-connect'],
  },
  ...[true, false].map((queue) => ({
    name: `connects with a new key in the middle of a sentence, ${queue ? 'and has a queue' : 'and has no queue'}`,
    profile: { caps, queue },
    mutation: () => ({ step: movesAtOnce }),
    only: ['rekey/after-the-sentence', 'rekey/after-what-waits'],
    fails: [queue ? 'rekey/after-what-waits' : 'rekey/after-the-sentence'],
  })),
  {
    name: 'connects with a new key while an announcement waits',
    only: ['rekey'],
    mutation: () => ({
      step: (state, event) => {
        const decided = step(state, event)
        const { move, sounding } = decided.state
        const isOver = state.sounding !== undefined && sounding?.sound.id !== state.sounding.sound.id
        if (!move || !isOver) return decided
        const effects = [...decided.effects, { type: 'reconnect' as const }]
        return { state: { ...decided.state, move: undefined }, effects }
      },
    }),
    fails: ['rekey/after-what-waits'],
  },
  {
    name: 'uses a new key before its ack has a PUBACK',
    // After a short random wait it also fails rekey/over-power-cut.
    only: ['rekey/without-puback'],
    mutation: () => ({
      step: (state, event) => {
        const { effects, state: next } = step(state, event)
        return { effects, state: next.move ? { ...next, move: { ...next.move, id: '' } } : next }
      },
    }),
    fails: ['rekey/without-puback'],
  },
  {
    name: 'forgets a new key whose ack has no PUBACK',
    only: ['rekey', 'rekey/without-puback'],
    mutation: () => ({
      step: (state, event) => {
        const decided = step(state, event)
        if (event.type !== 'closed' || state.pendingAcks.length === 0) return decided
        return withKeys(decided, ({ next: _, ...keys }) => keys)
      },
    }),
    fails: ['rekey/without-puback'],
  },
  {
    name: 'takes the key of the factory for the old one',
    only: ['rekey/refused-falls-back'],
    mutation: () => ({
      step: after('rekey', (decided) => withKeys(decided, (keys) => ({ ...keys, current: keys.given }))),
    }),
    fails: ['rekey/refused-falls-back'],
  },
  {
    name: 'gives up the old key when a new one comes',
    only: ['rekey/refused-falls-back'],
    mutation: () => ({ step: givesUpItsKey }),
    fails: ['rekey/refused-falls-back'],
    likely: { 'rekey/refused-falls-back': /next K was refused.*stores the next K beside the old one/ },
  },
  {
    name: 'gives up the old key when it is let in with the new one',
    only: ['rekey/old-key-until-welcome'],
    mutation: () => ({
      step: (state, event) => {
        const decided = step(state, event)
        return event.type === 'opened' && event.key === state.memory.keys?.next
          ? withKeys(decided, ({ given }) => ({ given, current: event.key }))
          : decided
      },
    }),
    fails: ['rekey/old-key-until-welcome'],
  },
  {
    name: 'forgets a new key in a power cut',
    mutation: () => ({
      afterPowerCut: ({ keys, ...kept }) =>
        keys ? { ...kept, keys: { given: keys.given, current: keys.current } } : kept,
    }),
    fails: ['rekey/both-refused', 'rekey/over-power-cut'],
  },
  {
    name: 'keeps the old key after the welcome',
    mutation: () => ({ step: keepsBoth }),
    only: ['rekey/old-key-forgotten'],
    fails: ['rekey/old-key-forgotten'],
  },
  {
    name: 'keeps the first of two new keys',
    only: ['rekey/replaced'],
    mutation: () => ({
      step: after('rekey', (decided, _, { memory }) => {
        const next = memory.keys?.next
        return next === undefined ? decided : withKeys(decided, (keys) => ({ ...keys, next }))
      }),
    }),
    fails: ['rekey/replaced'],
  },
  {
    name: 'reports the version of an image that it could not load',
    only: ['update', 'reconnection/after-cut'],
    mutation: () => ({
      step: (state, event) =>
        step(
          state.update ? { ...state, memory: { ...state.memory, firmware: state.update.fw } } : state,
          event,
        ),
    }),
    fails: ['update/checks-the-image'],
  },
  {
    name: 'never answers an offer of firmware',
    mutation: () => ({ step: acks((body, _, t) => (t === 'update' ? [] : [body])) }),
    only: ['update/received', 'update/payment-meanwhile'],
    fails: ['update/received', 'update/payment-meanwhile'],
  },
  {
    name: 'speaks nothing while it has an offer',
    mutation: () => ({
      step: (state, event) =>
        event.type === 'command' && event.command.t === 'announce' && state.update
          ? { state, effects: [] }
          : step(state, event),
    }),
    only: ['update'],
    fails: ['update/payment-meanwhile'],
  },
]

export const IN_ITS_KEYS: readonly Mutant[] = MISTAKES.map((mutant) => ({ profile: { caps }, ...mutant }))

type Keys = NonNullable<Memory['keys']>

/** The same decision with other keys in the memory. */
function withKeys(decided: ReturnType<Decide>, change: (keys: Keys) => Keys): ReturnType<Decide> {
  const { state, effects } = decided
  if (!state.memory.keys) return decided
  const memory = { ...state.memory, keys: change(state.memory.keys) }
  return {
    state: { ...state, memory },
    effects: [...effects, { type: 'persist', memory }],
  }
}

/** It ends the session as soon as it has the new key. */
const movesAtOnce: Decide = (state, event) => {
  const decided = step(state, event)
  if (!decided.state.move || decided.state.move === state.move) return decided
  const effects = [...decided.effects, { type: 'reconnect' as const }]
  return { state: { ...decided.state, move: undefined }, effects }
}

/** A new key takes the place of the old one at once. */
const givesUpItsKey = after('rekey', (decided) =>
  withKeys(decided, ({ given, next }) => ({ given, current: next ?? given })),
)

/** The welcome under the new key confirms nothing. */
const keepsBoth = after('welcome', (decided, _, { memory: { keys } }) => {
  const memory = { ...decided.state.memory, ...(keys && { keys }) }
  return { ...decided, state: { ...decided.state, memory } }
})
