import { step } from '../../../../simulator/speaker/device/device.ts'
import type { DeviceState } from '../../../../simulator/speaker/device/state/state.ts'
import { resealing } from '../support/bends.ts'
import { acks, before, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

const keepsFirstTime = hears('announce', ({ id, at }, { queue }) => {
  const waiting = queue.find((sound) => sound.id === id)
  return waiting ? { ttl: waiting.validUntil - at } : {}
})

/** Mistakes in what the device holds at the same time, and in fields at their limits. */
export const IN_WHAT_IT_HOLDS: readonly Mutant[] = [
  {
    name: 'keeps one ack without its PUBACK',
    mutation: () => ({ step: after(({ pendingAcks }) => ({ pendingAcks: pendingAcks.slice(-1) })) }),
    fails: ['held/acks-of-several', 'power/given-up', 'held/acks-among-many'],
  },
  {
    name: 'forgets all acks at the first PUBACK',
    mutation: () => ({
      step: (state, event) =>
        step(event.type === 'ack_stored' ? { ...state, pendingAcks: [] } : state, event),
    }),
    only: ['held'],
    fails: ['held/acks-of-several', 'held/acks-among-many'],
  },
  {
    name: 'acks a screen command only as shown',
    mutation: () => ({
      step: acks((body, _, t) => (body.st === 'received' && (t === 'code' || t === 'clear') ? [] : [body])),
    }),
    only: ['held'],
    fails: ['held/received-first'],
  },
  {
    name: 'acks a name only as shown',
    mutation: () => ({ step: acksOnlyTheEnd('profile') }),
    fails: ['held/received-first'],
  },
  {
    name: 'acks a QR only as shown',
    mutation: () => ({ step: acksOnlyTheEnd('qr') }),
    fails: ['ack/qr'],
  },
  {
    name: 'acks a notice that nothing covers only as shown',
    mutation: () => ({
      step: acks((body, { qr, code }, t) =>
        body.st === 'received' && t === 'missed' && !qr && !code ? [] : [body],
      ),
    }),
    fails: ['ack/missed', 'limits/largest-sum'],
  },
  {
    name: 'acks an identify that need not wait only as played',
    mutation: () => ({
      step: acks((body, { sounding }, t) =>
        body.st === 'received' && t === 'identify' && !sounding ? [] : [body],
      ),
    }),
    fails: ['ack/identify'],
  },
  {
    name: 'acks a sound that ends before the welcome',
    mutation: () => ({ step: acksBeforeWelcome() }),
    fails: ['power/before-welcome'],
  },
  {
    name: 'takes one announcement at a time, and acks one that ends before the welcome',
    mutation: () => ({ step: acksBeforeWelcome() }),
    profile: { queue: false },
    only: ['power/acks-await-welcome'],
    fails: ['power/acks-await-welcome'],
  },
  {
    name: 'shows missed payments for three seconds',
    mutation: () => ({
      step: after(({ missed }) =>
        missed && missed.leftMs > 3_000 ? { missed: { ...missed, leftMs: 3_000 } } : {},
      ),
    }),
    only: ['held'],
    fails: ['held/missed-stays'],
  },
  {
    name: 'lays "paid" over the QR',
    mutation: () => ({ step: laysPaidOverQr() }),
    fails: [],
    warns: ['held/paid-takes-qr'],
  },
  {
    name: 'remembers one failed command',
    mutation: () => ({ step: after(({ failures }) => ({ failures: failures.slice(-1) })) }),
    fails: [],
    warns: ['settings/muted', 'held/failures-of-several'],
  },
  {
    name: 'speaks waiting announcements in the order of their arrival',
    mutation: () => ({ step: inOrderOfArrival() }),
    fails: [],
    warns: ['held/by-number'],
  },
  {
    name: 'keeps the time of the first sending',
    mutation: () => ({ step: keepsFirstTime }),
    fails: [],
    warns: ['held/sum-of-repeat'],
  },
  {
    name: 'has its own clock, and keeps the time of the first sending',
    mutation: () => ({ step: keepsFirstTime }),
    profile: { clock: 'own' },
    only: ['held/shorter-sum-of-repeat'],
    fails: [],
    warns: ['held/shorter-sum-of-repeat'],
  },
  {
    name: 'forgets its QR at a second welcome',
    mutation: () => ({
      step: before('welcome', ({ link, qr }) => (link.phase === 'welcomed' ? { qr: undefined } : { qr })),
    }),
    fails: ['held/unlinked-by-welcome'],
  },
  {
    name: 'forgets what waits behind an announcement that expires',
    mutation: () => ({ step: forgetsBehindExpired() }),
    fails: ['held/next-after-expired'],
    warns: ['held/sum-of-repeat'],
  },
  {
    name: 'takes no identify for too late',
    mutation: () => ({ step: hears('identify', () => ({ ttl: 900 })) }),
    fails: ['held/late-alone', 'expiry/while-waiting'],
  },
  {
    name: 'acks received before it finds that an announcement is late',
    mutation: () => ({
      step: acks((body, { queue }, t) => {
        const isLate = t === 'announce' && body.rc === 'expired' && !body.dup
        const { rc: _, ...received } = body
        return isLate && !queue.some(({ id }) => id === body.id)
          ? [{ ...received, st: 'received' }, body]
          : [body]
      }),
    }),
    fails: ['held/late-alone'],
  },
  {
    name: 'beeps again when identify comes again',
    mutation: () => ({
      step: before('identify', ({ link }) =>
        link.phase === 'welcomed' ? { link: { ...link, identified: 0 } } : {},
      ),
    }),
    fails: ['held/identify-of-a-session', 'held/identify-again'],
  },
  {
    name: 'shows a code that is over',
    mutation: () => ({
      step: hears('code', ({ at, d }) => ({ d: { ...d, exp: Math.max(d.exp, at + 1) } })),
    }),
    fails: [],
    warns: ['held/over-on-arrival'],
  },
  {
    name: 'shows a QR that is over',
    mutation: () => ({ step: hears('qr', ({ at, d }) => ({ d: { ...d, exp: Math.max(d.exp, at + 1) } })) }),
    fails: [],
    warns: ['held/over-on-arrival'],
  },
  {
    name: 'believes that every welcome comes from its shop',
    mutation: () => ({ step: hears('welcome', ({ d }) => ({ d: { ...d, linked: true } })) }),
    fails: [],
    warns: ['screen/unlinked-frees-screen', 'held/unlinked-by-welcome'],
  },
  {
    name: 'has room for a type of 31 characters',
    mutation: () => ({ step: knowsTypes((t) => t.length <= 31) }),
    fails: ['limits/longest-type'],
  },
  {
    name: 'takes a type of one character for none',
    mutation: () => ({ step: knowsTypes((t) => t.length > 1) }),
    fails: ['limits/shortest-type'],
  },
  {
    name: 'takes a ttl of 0 for none',
    mutation: () => ({
      step: (state, event) =>
        event.type === 'command' && event.command.ttl === 0 ? { state, effects: [] } : step(state, event),
    }),
    fails: ['limits/ttl-zero'],
  },
  {
    name: 'cuts a ttl to 32 bits',
    mutation: () => ({
      line: resealing(
        () => true,
        (body) => ('ttl' in body ? { ...body, ttl: Number(body.ttl) >>> 0 } : body),
      ),
    }),
    only: ['limits'],
    fails: ['limits/ttl-beyond-32-bits'],
  },
  {
    name: 'waits for half a minute when it is refused',
    // 15 minutes and this part of five more.
    mutation: () => ({ random: () => -2.9 }),
    only: ['reconnection/refused-fifteen-minutes'],
    fails: ['reconnection/refused-fifteen-minutes'],
  },
]

function after(change: (state: DeviceState, nowMs: number) => Partial<DeviceState>): Decide {
  return (state, event) => {
    const next = step(state, event)
    return { ...next, state: { ...next.state, ...change(next.state, event.nowMs) } }
  }
}

function acksOnlyTheEnd(type: 'profile' | 'qr'): Decide {
  return acks((body, _, t) => (body.st === 'received' && t === type ? [] : [body]))
}

function acksBeforeWelcome(): Decide {
  return (state, event) => {
    const next = step(state, event)
    const isBorn = next.state.link.phase === 'born' && event.type === 'tick'
    const ended = isBorn ? next.state.pendingAcks.filter((ack) => !state.pendingAcks.includes(ack)) : []
    const publishes = ended.map(({ body, token }) => ({
      type: 'publish' as const,
      message: { kind: 'ack' as const, body, token },
    }))
    return { ...next, effects: [...next.effects, ...publishes] }
  }
}

function laysPaidOverQr(): Decide {
  return (state, event) => {
    const next = step(state, event)
    const isPaid = next.effects.some((effect) => effect.type === 'emit' && effect.event.event === 'paid')
    return isPaid ? { ...next, state: { ...next.state, qr: state.qr } } : next
  }
}

function inOrderOfArrival(): Decide {
  const arrived: string[] = []
  return (state, event) => {
    if (event.type === 'command') arrived.push(event.command.id)
    const next = step(state, event)
    const queue = next.state.queue.toSorted((a, b) => arrived.indexOf(a.id) - arrived.indexOf(b.id))
    return { ...next, state: { ...next.state, queue } }
  }
}

function forgetsBehindExpired(): Decide {
  return (state, event) => {
    const next = step(state, event)
    const expired = next.effects.some(
      (effect) =>
        effect.type === 'publish' &&
        effect.message.kind === 'ack' &&
        effect.message.body.rc === 'expired' &&
        state.queue.some(({ id }) => effect.message.kind === 'ack' && id === effect.message.body.id),
    )
    if (!expired) return next
    const effects = next.effects.filter(
      (effect) => effect.type !== 'emit' || effect.event.event !== 'announce',
    )
    return { effects, state: { ...next.state, queue: [], sounding: undefined } }
  }
}

function knowsTypes(knows: (t: string) => boolean): Decide {
  return (state, event) =>
    event.type === 'unknown_command' && !knows(event.t) ? { state, effects: [] } : step(state, event)
}
