import type { ReasonCode } from '../../../../protocol/messages/ack.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { DeviceState, Sound } from '../../../../simulator/speaker/device/state/state.ts'
import { always } from '../support/bends.ts'
import { acks, before, type Decide } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Room of a small device. */
const PLACES = 4

/** Mistakes with sounds that wait: their order, their room, and what they outlast. */
export const IN_WHAT_WAITS: readonly Mutant[] = [
  {
    name: 'drops a packet with the DUP flag',
    mutation: () => ({
      line: always({ down: (packet) => (packet.cmd === 'publish' && packet.dup ? [] : [packet]) }),
    }),
    fails: ['dedupe/mqtt-mark'],
    likely: { 'dedupe/mqtt-mark': /drop no packet because of its DUP flag/ },
  },
  {
    name: 'starts a sound while another one sounds',
    mutation: () => ({ step: overlaps }),
    fails: ['order/in-turn'],
    likely: { 'order/in-turn': /two sounds at the same time/ },
  },
  {
    name: 'beeps over a sentence',
    mutation: () => ({ step: beepsOverSentence() }),
    only: ['ack', 'held/identify-again'],
    fails: ['held/identify-again'],
  },
  {
    name: 'speaks small amounts first',
    mutation: () => ({ step: queues((queue) => queue.toSorted((a, b) => amountOf(a) - amountOf(b))) }),
    only: ['order'],
    fails: ['order/in-turn'],
  },
  {
    name: 'fails what it has no room for as busy',
    mutation: () => ({ step: whenFull((state, id, n) => refused(state, { id, n, rc: 'busy' })) }),
    fails: [],
    warns: ['held/full-queue', 'ack/never-busy'],
  },
  {
    name: 'fails what it has no room for as not ready',
    mutation: () => ({ step: whenFull((state, id, n) => refused(state, { id, n, rc: 'not_ready' })) }),
    fails: [],
    warns: ['held/full-queue'],
  },
  {
    name: 'has room for four announcements, which is no mistake',
    mutation: () => ({ step: whenFull((state) => ({ state, effects: [] })) }),
    fails: [],
  },
  {
    name: 'makes room by forgetting what waits longest',
    mutation: () => ({
      step: whenFull((state, _id, _n, event) => step({ ...state, queue: state.queue.slice(1) }, event)),
    }),
    fails: ['held/full-queue'],
  },
  {
    name: 'forgets what waits when it connects',
    mutation: () => ({ step: forgetsAt(({ type }) => type === 'connecting') }),
    fails: [],
    warns: ['power/without-connection'],
  },
  {
    name: 'forgets what waits when a connection breaks before the birth',
    mutation: () => ({
      step: forgetsAt(({ type }, { link }) => type === 'closed' && link.phase === 'connecting'),
    }),
    fails: [],
    warns: ['power/without-connection'],
  },
  {
    name: 'speaks what comes before the welcome, and acks it later',
    mutation: () => ({ step: obeysTooEarly('announce') }),
    fails: ['session/nothing-before-welcome'],
    likely: { 'session/nothing-before-welcome': /`played` is higher: an announcement was spoken/ },
  },
  {
    name: 'executes commands before the welcome',
    mutation: () => ({
      step: before('identify', ({ link }) =>
        link.phase === 'born'
          ? {
              link: {
                ...link,
                phase: 'welcomed',
                welcomeN: 0,
                shown: 0,
                identified: 0,
                telemetryAtMs: 9e15,
              },
            }
          : {},
      ),
    }),
    fails: ['session/nothing-before-welcome'],
  },
  {
    name: 'beeps before the welcome, and acks it later',
    mutation: () => ({ step: obeysTooEarly('identify') }),
    fails: ['session/nothing-before-welcome'],
  },
  {
    name: 'applies settings that come before the welcome, and acks them later',
    mutation: () => ({ step: obeysTooEarly('settings') }),
    fails: ['session/nothing-before-welcome'],
  },
  {
    name: 'lets an identify that waits beep at any time',
    mutation: () => ({
      step: (state, event) =>
        step(
          {
            ...state,
            queue: state.queue.map((sound) =>
              sound.t === 'identify' ? { ...sound, validUntil: Number.POSITIVE_INFINITY } : sound,
            ),
          },
          event,
        ),
    }),
    fails: ['expiry/while-waiting'],
  },
]

type Event = Parameters<Decide>[1]

function amountOf(sound: Sound): number {
  return sound.t === 'announce' ? Number(sound.body.amount) : 0
}

function queues(change: (queue: DeviceState['queue']) => DeviceState['queue']): Decide {
  return (state, event) => {
    const next = step(state, event)
    return { ...next, state: { ...next.state, queue: change(next.state.queue) } }
  }
}

/** What has waited began together with what sounded, so it ends soon after it. */
const overlaps: Decide = (state, event) => {
  const next = step(state, event)
  const { sounding } = next.state
  const hasWaited = state.queue.some(({ id, t }) => t === 'announce' && id === sounding?.sound.id)
  if (!sounding || !hasWaited) return next
  return { ...next, state: { ...next.state, sounding: { ...sounding, untilMs: event.nowMs + 20 } } }
}

/** Its beep is over before the sentence is. */
function beepsOverSentence(): Decide {
  const early = new Set<string>()
  return acks((body, { sounding }, t) => {
    if (t !== 'identify' || body.dup) return [body]
    if (body.st === 'played') return early.has(body.id) ? [] : [body]
    if (sounding?.sound.t !== 'announce') return [body]
    early.add(body.id)
    return [body, { ...body, st: 'played' }]
  })
}

/** Decides about a new announcement when the places of a small device are taken. */
function whenFull(
  decide: (state: DeviceState, id: string, n: number, event: Event) => ReturnType<Decide>,
): Decide {
  return (state, event) => {
    if (event.type !== 'command' || event.command.t !== 'announce') return step(state, event)
    const { id, n } = event.command
    const isNew = n > state.memory.played && !state.queue.some((sound) => sound.id === id)
    return isNew && state.queue.length >= PLACES ? decide(state, id, n, event) : step(state, event)
  }
}

function refused(
  state: DeviceState,
  { id, n, rc }: { id: string; n: number; rc: ReasonCode },
): ReturnType<Decide> {
  const body = { t: 'ack', id, n, st: 'failed', rc } as const
  return { state, effects: [{ type: 'publish', message: { kind: 'ack', body, token: 0 } }] }
}

function forgetsAt(isMoment: (event: Event, state: DeviceState) => boolean): Decide {
  return (state, event) => step(isMoment(event, state) ? { ...state, queue: [] } : state, event)
}

/** Between its birth and the welcome it obeys, and keeps its acks. */
function obeysTooEarly(t: 'announce' | 'identify' | 'settings'): Decide {
  return (state, event) => {
    const { link } = state
    if (event.type !== 'command' || event.command.t !== t || link.phase !== 'born') return step(state, event)
    const never = { welcomeN: 0, shown: 0, identified: 0, telemetryAtMs: Number.POSITIVE_INFINITY }
    const obeyed = step({ ...state, link: { ...link, phase: 'welcomed', ...never } }, event)
    const effects = obeyed.effects.filter(({ type }) => type !== 'publish')
    return { state: { ...obeyed.state, link }, effects }
  }
}
