import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Sound } from '../../../../simulator/speaker/device/state/state.ts'
import type { Decide } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes with announcements that wait: a power cut makes them lose or double a payment. */
export const IN_ITS_BIRTHS: readonly Mutant[] = [
  {
    name: 'speaks on before the hub knows what it gave up',
    mutation: () => ({ step: speaksOn }),
    fails: ['power/given-up'],
  },
  {
    name: 'has its own clock, and speaks on before the hub knows what it gave up',
    profile: { clock: 'own' },
    mutation: () => ({ step: speaksOn }),
    only: ['power'],
    fails: ['power/given-up-in-time'],
  },
  {
    name: 'speaks on at any PUBACK',
    mutation: () => ({
      step: (state, event) => step(event.type === 'ack_stored' ? { ...state, givenUp: [] } : state, event),
    }),
    fails: ['power/given-up'],
  },
  {
    name: 'is silent while the ack of a refused announcement has no PUBACK',
    mutation: () => ({
      step: (state, event) =>
        step({ ...state, givenUp: state.pendingAcks.map(({ body }) => body.id) }, event),
    }),
    fails: [],
    warns: ['power/refused-at-once'],
  },
  {
    name: 'forgets what waits when its connection is lost',
    mutation: () => ({
      step: (state, event) => step(event.type === 'closed' ? { ...state, queue: [] } : state, event),
    }),
    fails: [],
    warns: ['power/without-connection'],
  },
  {
    name: 'speaks only when its ack has a PUBACK',
    mutation: () => ({ step: awaitsPuback }),
    fails: [],
    warns: ['power/without-puback'],
  },
  {
    name: 'speaks between birth and welcome what waits',
    mutation: () => ({ step: keepsItsQueue }),
    fails: ['power/before-welcome', 'power/not-sent-again'],
    likely: { 'power/before-welcome': /an announcement was spoken that waited at the birth before/ },
  },
  {
    name: 'forgets with its birth only that sounds were received',
    mutation: () => ({ step: keepsOtherReceived }),
    fails: ['power/not-sent-again'],
  },
  {
    name: 'keeps an identify that waits over its birth',
    mutation: () => ({ step: keepsItsBeeps }),
    fails: ['power/not-sent-again'],
  },
  {
    name: 'speaks after the welcome what the hub has not sent again',
    mutation: () => ({ step: takesItsQueueUp() }),
    fails: ['power/not-sent-again'],
  },
]

const NOTHING: Sound = { t: 'identify', id: '', n: 0, validUntil: 0 }

/** While it hears an announcement, something else seems to sound. */
const awaitsPuback: Decide = (state, event) => {
  if (state.sounding || event.type !== 'command' || event.command.t !== 'announce') return step(state, event)
  const sounding = { sound: NOTHING, sinceMs: event.nowMs, untilMs: Number.POSITIVE_INFINITY }
  const { effects, state: next } = step({ ...state, sounding }, event)
  return { effects, state: { ...next, sounding: undefined } }
}

/** Lets it look into its queue: no ack has this token. */
const look = (nowMs: number) => ({ type: 'ack_stored', token: -1, nowMs }) as const

/** Those of announcements and identify are in its queue, or sound. */
const keepsOtherReceived: Decide = (state, event) => {
  const next = step(state, event)
  if (event.type !== 'opened') return next
  const sounds = state.sounding ? [state.sounding.sound, ...state.queue] : state.queue
  const pendingAcks = state.pendingAcks.filter(
    ({ body }) => body.st !== 'received' || !sounds.some(({ id }) => id === body.id),
  )
  return { ...next, state: { ...next.state, pendingAcks } }
}

const keepsItsBeeps: Decide = (state, event) => {
  const next = step(state, event)
  if (event.type !== 'opened') return next
  return { ...next, state: { ...next.state, queue: state.queue.filter(({ t }) => t === 'identify') } }
}

const speaksOn: Decide = (state, event) => {
  const next = step(state, event)
  const on = step({ ...next.state, givenUp: [] }, look(event.nowMs))
  return { state: on.state, effects: [...next.effects, ...on.effects] }
}

const keepsItsQueue: Decide = (state, event) => {
  const next = step(state, event)
  return event.type === 'opened' ? { ...next, state: { ...next.state, queue: state.queue } } : next
}

function takesItsQueueUp(): Decide {
  let queue: readonly Sound[] = []
  return (state, event) => {
    if (event.type === 'opened') queue = state.queue
    const next = step(state, event)
    if (state.link.phase !== 'born' || next.state.link.phase !== 'welcomed') return next
    const kept = { ...next.state, queue: [...queue, ...next.state.queue] }
    const looked = step(kept, look(event.nowMs))
    return { state: looked.state, effects: [...next.effects, ...looked.effects] }
  }
}
