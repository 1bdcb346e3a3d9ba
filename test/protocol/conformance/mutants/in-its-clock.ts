import { step } from '../../../../simulator/speaker/device/device.ts'
import { before, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes in what the device takes for past. */
export const IN_ITS_CLOCK: readonly Mutant[] = [
  {
    name: 'does not look at the ttl',
    mutation: () => ({ step: hears('announce', () => ({ ttl: 1e9 })) }),
    fails: [
      'expiry/clock-set-back',
      'expiry/last-second',
      'expiry/welcome-replayed',
      'expiry/announce-on-arrival',
      'expiry/while-waiting',
      'expiry/clock-of-welcome',
      'expiry/welcome-repeated',
      'expiry/clock-not-moved-back',
      'power/given-up',
      'held/late-alone',
      'held/sum-of-repeat',
      'settings/muted',
    ],
  },
  {
    name: 'looks at the ttl on arrival only',
    // What is still good when it comes is good for ever.
    mutation: () => ({
      step: (state, event) => {
        if (event.type !== 'command' || event.command.t !== 'announce') return step(state, event)
        const { at, ttl } = event.command
        const isGood = (at + ttl) * 1000 >= event.nowMs + state.hubAheadMs
        return step(state, isGood ? { ...event, command: { ...event.command, ttl: 1e9 } } : event)
      },
    }),
    fails: ['expiry/while-waiting', 'power/given-up', 'held/sum-of-repeat'],
  },
  {
    name: 'judges the ttl by its own clock',
    mutation: () => ({
      step: (state, event) => {
        const next = step(state, event)
        return { ...next, state: { ...next.state, hubAheadMs: 0 } }
      },
    }),
    fails: [
      'expiry/clock-set-back',
      'expiry/last-second',
      'expiry/last-second-of-code',
      'expiry/welcome-replayed',
      'expiry/clock-of-welcome',
      'power/given-up',
      'held/sum-of-repeat',
      'expiry/after-2038',
    ],
  },
  {
    name: 'has its own clock, and takes only a later time from a welcome',
    profile: { clock: 'own' },
    mutation: () => ({ step: takesOnlyLater }),
    only: ['expiry'],
    fails: ['expiry/clock-set-back'],
  },
  {
    name: 'turns its clock back at a repeat of its welcome',
    mutation: () => ({
      step: before('welcome', ({ link }) =>
        link.phase === 'welcomed' ? { link: { ...link, welcomeN: -1 } } : {},
      ),
    }),
    fails: [
      'held/unlinked-by-welcome',
      'session/welcome-repeated',
      'expiry/welcome-repeated',
      'expiry/welcome-replayed',
    ],
  },
  {
    name: 'knows of all welcomes only the last one again',
    mutation: () => ({ step: knowsLastWelcome() }),
    fails: ['held/unlinked-by-welcome', 'expiry/welcome-replayed'],
  },
  {
    name: 'takes only a later time from a welcome',
    mutation: () => ({ step: takesOnlyLater }),
    fails: ['expiry/clock-set-back'],
  },
  {
    name: 'takes the time from every command',
    mutation: () => ({
      step: (state, event) => {
        if (event.type !== 'command') return step(state, event)
        return step({ ...state, hubAheadMs: event.command.at * 1000 - event.nowMs }, event)
      },
    }),
    fails: [
      'expiry/clock-set-back',
      'expiry/last-second',
      'expiry/last-second-of-code',
      'expiry/screens-on-arrival',
      'expiry/settings-on-arrival',
      'expiry/welcome-replayed',
      'expiry/announce-on-arrival',
      'expiry/code-on-arrival',
      'expiry/qr-on-arrival',
      'expiry/clock-of-welcome',
      'expiry/welcome-repeated',
      'expiry/clock-not-moved-back',
      'held/late-alone',
      'settings/muted',
      'expiry/after-2038',
    ],
  },
  {
    name: 'obeys the second welcome of a session as often as it comes',
    mutation: () => ({
      step: (state, event) => {
        const next = step(state, event)
        const [link, before] = [next.state.link, state.link]
        if (link.phase !== 'welcomed' || before.phase !== 'welcomed') return next
        return { ...next, state: { ...next.state, link: { ...link, welcomeN: before.welcomeN } } }
      },
    }),
    fails: ['expiry/welcome-replayed'],
  },
  {
    name: 'adds at and ttl in 32 bits',
    mutation: () => ({
      step: hears('announce', ({ at, ttl }) => ({ ttl: ((at + ttl) % 2 ** 32) - at })),
    }),
    fails: ['expiry/beyond-32-bits'],
    likely: { 'expiry/beyond-32-bits': /wraps around at 32 bits/ },
  },
  {
    name: 'takes a late repeat of what it has played for expired',
    mutation: () => ({
      step: (state, event) => {
        if (event.type !== 'command' || event.command.t !== 'announce') return step(state, event)
        const { id, n, at, ttl } = event.command
        const isLate = (at + ttl) * 1000 < event.nowMs + state.hubAheadMs
        if (!isLate || n > state.memory.played) return step(state, event)
        const body = { t: 'ack', id, n, st: 'failed', rc: 'expired' } as const
        return { state, effects: [{ type: 'publish', message: { kind: 'ack', body, token: 0 } }] }
      },
    }),
    fails: ['dedupe/repeat-of-played-when-late'],
  },
  {
    name: 'takes a code for expired in the second of its exp',
    mutation: () => ({ step: hears('code', ({ d }) => ({ d: { ...d, exp: d.exp - 1 } })) }),
    fails: ['expiry/last-second-of-code'],
  },
  {
    name: 'takes an offer of firmware at any time',
    only: ['update/late'],
    profile: { caps: ['speaker', 'update'] },
    mutation: () => ({ step: hears('update', () => ({ ttl: 1e9 })) }),
    fails: ['update/late'],
  },
  {
    name: 'takes a new key at any time',
    only: ['rekey/late'],
    profile: { caps: ['speaker', 'rekey'] },
    mutation: () => ({ step: hears('rekey', () => ({ ttl: 1e9 })) }),
    fails: ['rekey/late'],
  },
]

const takesOnlyLater: Decide = (state, event) => {
  const { state: next, effects } = step(state, event)
  const isLater = state.link.phase !== 'welcomed' || next.hubAheadMs >= state.hubAheadMs
  return { state: isLater ? next : { ...next, hubAheadMs: state.hubAheadMs }, effects }
}

/** Compares the id of a welcome with that of the last one, and does not look at its number. */
function knowsLastWelcome(): Decide {
  let last = ''
  return (state, event) => {
    if (event.type !== 'command' || event.command.t !== 'welcome') return step(state, event)
    const { id } = event.command
    const isNew = id !== last
    last = id
    const { link } = state
    return step(
      isNew && link.phase === 'welcomed' ? { ...state, link: { ...link, welcomeN: -1 } } : state,
      event,
    )
  }
}
