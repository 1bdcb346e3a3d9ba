import { reconcile } from '../../../server/announcements/reconcile.ts'
import type { Codec, Heard } from '../../../server/delivery/dialect.ts'
import type { Sending, SessionRules } from '../../../server/delivery/session/ports.ts'
import type { BoxLogin } from '../../../server/devices/device.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Wire } from '../../../server/mqtt/link.ts'
import type { Connect } from '../../../server/mqtt/login.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import { readPackets } from '../../support/mqtt/packets.ts'
import { type Bug, EASY, HARD } from '../bug.ts'
import type { Plants } from '../world.ts'
import { inGate, inGateDeps, inPort } from '../wrap.ts'

/** Where the bugs of this file can show. */
const kind = { boxes: true }

/** Bugs in what the hub does with boxes: in the gate, in delivery, in the dialects and in the rules of the storage. */
export const BOX_BUGS: readonly Bug[] = [
  {
    name: 'a box that is sent an announcement again on the same connection',
    ...{ ...EASY, kind, breaks: ['box: once', 'box: reset'] },
    plants: () => onPacing({ resendAfterMs: [3_000], unanswered: 'yield' }),
  },
  {
    name: 'a box whose connection stays without a PUBACK',
    ...{ ...EASY, kind, breaks: ['box: reset', 'box: held'] },
    plants: () => onPacing({ unanswered: 'yield' }),
  },
  {
    name: 'a reset that lets arrive what is under way',
    ...{ ...HARD, kind, breaks: ['box: held'] },
    plants: () => onBoxWires((wire) => ({ ...wire, reset: wire.close })),
  },
  {
    name: 'an announcement that is delivered without a PUBACK',
    ...{ ...EASY, kind, breaks: ['box: proof'] },
    plants: confirmedAtOnce,
  },
  {
    name: 'an answer to an unknown id that counts for the newest announcement',
    ...{ ...HARD, kind, breaks: ['box: proof'] },
    plants: answersTheNewest,
  },
  {
    name: 'a box without a memory that is sent the same a third time',
    ...{ ...HARD, kind, breaks: ['box: once'] },
    plants: () =>
      onReconcileOfBoxes((found, now) => ({
        repeated: [...found.repeated, ...found.unconfirmed.filter(({ expiresAt }) => expiresAt > now)],
        unconfirmed: found.unconfirmed.filter(({ expiresAt }) => expiresAt <= now),
      })),
  },
  {
    name: 'an announcement that is sent again after its PUBACK',
    ...{ ...HARD, kind, breaks: ['box: once'] },
    plants: () =>
      onReconcileOfBoxes((found, now) => ({
        resent: [...found.resent, ...found.delivered.filter(({ expiresAt }) => expiresAt > now)],
        delivered: found.delivered.filter(({ expiresAt }) => expiresAt <= now),
      })),
  },
  {
    name: 'a step of the clock that clears what is in flight',
    ...{ ...HARD, kind: { ...kind, clockSteps: true }, breaks: ['box: once', 'box: reset'] },
    plants: clearedByClock,
  },
  {
    name: 'a PUBACK that counts as played',
    ...{ ...EASY, kind, breaks: ['box: proof'] },
    plants: () =>
      onBoxSessions(({ codec }) => ({
        codec: { ...codec, confirmed: (sending) => playedBy(sending, codec.confirmed?.(sending)) },
      })),
  },
  {
    name: 'an announcement that is sent a minute after its time',
    ...{ ...HARD, kind, breaks: ['box: never late'] },
    plants: sentLate,
  },
  {
    name: 'a broker that routes by topics: another box has subscribed to the same',
    ...{ ...HARD, kind, breaks: ['foreign data'] },
    plants: routedByTopic,
  },
  {
    name: 'payments that a box without a screen has missed, and that are never marked',
    ...{ ...EASY, kind, breaks: ['missed'] },
    plants: () => onBoxSessions(({ rules }) => ({ rules: { ...rules, canShowMissed: true } })),
  },
  {
    name: 'a box that gets the next announcement while it speaks',
    ...{ ...EASY, kind, breaks: ['box: busy'] },
    plants: () => onBoxSessions(({ rules: { busyMs: _, ...rules } }) => ({ rules })),
  },
  {
    name: 'a day whose delivered payments are counted as missed',
    ...{ ...EASY, kind, breaks: ['box: day'] },
    plants: () => ({
      storage: (storage) => ({
        ...storage,
        lists: {
          ...storage.lists,
          payments: {
            ...storage.lists.payments,
            async addUp(...args) {
              const found = await storage.lists.payments.addUp(...args)
              const sums = found.sums.map((sum) => ({
                ...sum,
                stages: sum.stages.map((stage) => (stage === 'delivered' ? ('expired' as const) : stage)),
              }))
              return { ...found, sums }
            },
          },
        },
      }),
    }),
  },
]

interface BoxSession {
  codec: Codec
  rules: SessionRules
}

function onBoxSessions(
  change: (session: BoxSession, box: BoxLogin, clock: Clock) => Partial<BoxSession>,
): Plants {
  return inGateDeps((deps) => ({
    ...deps,
    boxes: {
      async open(box) {
        const session = await deps.boxes.open(box)
        return 'refused' in session ? session : { ...session, ...change(session, box, deps.clock) }
      },
    },
  }))
}

function onPacing(pacing: Partial<SessionRules['pacing']>): Plants {
  return onBoxSessions(({ rules }) => ({ rules: { ...rules, pacing: { ...rules.pacing, ...pacing } } }))
}

function onBoxWires(change: (wire: Wire, packet: Connect) => Wire): Plants {
  return inGate((gate) => ({ connectBox: (packet, wire) => gate.connectBox(packet, change(wire, packet)) }))
}

type Reconciled = ReturnType<typeof reconcile>

function onReconcileOfBoxes(change: (found: Reconciled, now: number) => Partial<Reconciled>): Plants {
  return {
    rules: (rules) => ({
      ...rules,
      reconcile(all, witness, now) {
        const found = reconcile(all, witness, now)
        return (witness.box ? { ...found, ...change(found, now) } : found) as typeof found
      },
    }),
  }
}

/** The hub takes what it writes for confirmed. */
function confirmedAtOnce(): Plants {
  return inGate((gate) => ({
    async connectBox(packet, wire) {
      let connection: Connection | undefined
      function write(packets: Buffer): boolean {
        const took = wire.write(packets)
        for (const one of readPackets(packets))
          if (one.cmd === 'publish') connection?.confirmed(one.messageId)
        return took
      }
      const answer = await gate.connectBox(packet, { ...wire, write })
      if (!('why' in answer)) connection = answer
      return answer
    },
  }))
}

function answersTheNewest(): Plants {
  return onBoxSessions(({ codec }) => {
    let newest: Sending | undefined
    return {
      codec: {
        ...codec,
        write(sending, now, bufferBytes) {
          if (sending.body.kind === 'announce') newest = sending
          return codec.write(sending, now, bufferBytes)
        },
        read(packet) {
          const heard = codec.read(packet)
          const isStray = heard.kind === 'ignored' && heard.why?.startsWith('an answer to an unknown')
          if (!isStray || !newest) return heard
          const { id: commandId, commandNumber } = newest
          const ack = { commandId, commandNumber, reason: undefined }
          return { kind: 'reached', ack: { ...ack, stage: 'delivered', proof: 'accepted' } }
        },
      },
    }
  })
}

/** The session takes its device for one that knows what it has had, as soon as the clock was set. */
function clearedByClock(): Plants {
  return onBoxSessions(({ rules }, _box, clock) => {
    const ahead = clock.now() - clock.elapsed()
    const pacing: SessionRules['pacing'] = {
      ...rules.pacing,
      get unanswered() {
        return clock.now() - clock.elapsed() === ahead ? 'reset' : 'yield'
      },
    }
    return { rules: { ...rules, pacing } }
  })
}

function playedBy({ body }: Sending, heard: Heard | undefined): Heard {
  if (heard?.kind !== 'reached' || body.kind !== 'announce') return heard ?? { kind: 'ignored' }
  return { kind: 'reached', ack: { ...heard.ack, stage: 'played', proof: 'played' } }
}

const LATE_MS = 60_000

/** At the birth of a box what was sent is fresh for so much longer, and its session does not look. */
function sentLate(): Plants {
  const { storage } = inPort('outbox', (outbox) => ({
    begin: (owner, now, birth) => outbox.begin(owner, birth?.born.box ? now - LATE_MS : now, birth),
  }))
  return { storage, ...onPacing({ leastTimeToLiveMs: -LATE_MS }) }
}

/** Each PUBLISH goes to every box that has subscribed to its topic. */
function routedByTopic(): Plants {
  const subscribers = new Map<Wire, Set<string>>()
  return inGate((gate) => ({
    async connectBox(packet, wire) {
      function write(packets: Buffer): boolean {
        for (const one of readPackets(packets))
          for (const [other, topics] of subscribers)
            if (one.cmd === 'publish' && other !== wire && topics.has(one.topic)) other.write(packets)
        return wire.write(packets)
      }
      const answer = await gate.connectBox(packet, { ...wire, write })
      if ('why' in answer) return answer
      const topics = new Set<string>()
      subscribers.set(wire, topics)
      return {
        subscribe(subscription) {
          topics.add(subscription.topic)
          return answer.subscribe(subscription)
        },
        publish: (published) => answer.publish(published),
        confirmed: (messageId) => answer.confirmed(messageId),
        ping: () => answer.ping(),
        closed() {
          subscribers.delete(wire)
          answer.closed()
        },
      }
    },
  }))
}
