import type { Codec } from '../../server/delivery/dialect.ts'
import type { Pacing } from '../../server/delivery/session/ports.ts'
import type { Session } from '../../server/delivery/session/session.ts'
import { BIRTH_TIMEOUT_MS, type Connection } from '../../server/mqtt/connection.ts'
import type { Published } from '../../server/mqtt/link.ts'
import type { Clock } from '../../server/platform/clock.ts'
import { type Bug, EASY, HARD } from './bug.ts'
import type { Plants } from './world.ts'
import {
  delegate,
  inDelivery,
  inDeliveryDeps,
  inDialect,
  inGate,
  inGateDeps,
  inPort,
  onCodecs,
  onConnections,
  onWires,
} from './wrap.ts'

/** Bugs in the gate, in delivery and in the dialect. Each wraps one part of the core. */
export const GATE_BUGS: readonly Bug[] = [
  {
    name: 'a gate that reads the clock on the wall when it hears a device',
    ...HARD,
    breaks: ['presence'],
    plants: () => inGateDeps((deps) => ({ ...deps, clock: { ...deps.clock, elapsed: deps.clock.now } })),
  },
  {
    name: 'a ping that does not count as a sign of life',
    ...HARD,
    breaks: ['presence'],
    plants: () => onConnections((connection) => ({ ...connection, ping: () => undefined })),
  },
  {
    name: 'an old will that ends the new session',
    ...HARD,
    breaks: ['presence', 'at least once', 'rest'],
    plants: willEndsTheNewest,
  },
  {
    name: 'a session that outlives its connection',
    ...EASY,
    breaks: ['presence'],
    plants: () => inDelivery(() => ({ leave: () => undefined })),
  },
  {
    name: 'a takeover that leaves the older connection open',
    ...HARD,
    breaks: ['takeover', 'presence'],
    plants: takeoverWithoutClose,
  },
  {
    name: 'PUBACKs in the order in which the packets are stored',
    ...HARD,
    breaks: ['pubacks'],
    plants: () => confirming((stored, confirm) => stored.then((isStored) => isStored && confirm())),
  },
  {
    name: 'a PUBACK before its packet is stored',
    ...EASY,
    breaks: ['pubacks'],
    plants: () => confirming((_stored, confirm) => confirm()),
  },
  {
    name: 'a birth that needs no subscription',
    ...HARD,
    breaks: ['birth first', 'breach', 'presence'],
    plants: () =>
      onConnections((connection, serial) => {
        connection.subscribe({ topic: `sb/1/${serial}/down`, qos: 1 })
        return connection
      }),
  },
  {
    name: 'a connection that waits for its birth without end',
    ...HARD,
    breaks: ['birth in time'],
    plants: () => onTimeouts(() => undefined),
  },
  {
    name: 'a birth that does not end the wait for it',
    ...EASY,
    breaks: ['no breach'],
    plants: () => onTimeouts((delayMs, act, clock) => void clock.after(delayMs, act)),
  },
  {
    name: 'a breach that leaves the connection open',
    ...HARD,
    breaks: ['breach'],
    plants: breachWithoutClose,
  },
  {
    name: 'a password that nobody checks',
    ...HARD,
    breaks: ['login', 'no breach'],
    plants: () => inDialect(() => ({ verify: () => true })),
  },
  {
    name: 'a slow reader that is never cut',
    ...HARD,
    breaks: ['slow reader'],
    plants: () =>
      onWires((wire) => ({
        ...wire,
        write(packets) {
          wire.write(packets)
          return true
        },
      })),
  },
  {
    name: 'a slow reader that is cut although it reads again',
    ...HARD,
    breaks: ['no breach'],
    plants: () => onWires((wire) => ({ ...wire, whenDrained: () => undefined })),
  },
  {
    name: 'packets behind a birth that do not wait until it is stored',
    ...EASY,
    breaks: ['presence', 'no breach'],
    plants: () =>
      inDelivery((delivery) => ({
        async receive(session, heard) {
          const stored = delivery.receive(session, heard)
          if (heard.kind !== 'born') return stored
          stored.catch(() => undefined)
          return false
        },
      })),
  },
  {
    name: 'a clock that is set back without ending sooner what is on its way',
    ...HARD,
    breaks: ['never late', 'told once'],
    plants: () => inPort('outbox', () => ({ clockSetBack: async () => undefined })),
    kind: { clockSteps: true, restores: false },
  },
  {
    name: 'a delivery that takes the clock on the wall for time that passes',
    ...HARD,
    breaks: ['presence'],
    plants: () => inDeliveryDeps((deps) => ({ ...deps, clock: { ...deps.clock, elapsed: deps.clock.now } })),
    kind: { clockSteps: true, restores: false },
  },
  {
    name: 'a resend of the same frame',
    ...EASY,
    breaks: ['frames'],
    plants: () => onCodecs(writesOnce),
  },
  {
    name: 'a command that does not wait for the one before it',
    ...EASY,
    breaks: ['one in flight'],
    plants: () => inPacing({ resendAfterMs: [], yieldAfterMs: 0 }),
  },
  {
    name: 'a command that is never sent again',
    ...EASY,
    breaks: ['resend'],
    plants: () => inPacing({ resendAfterMs: [] }),
  },
  {
    name: 'a command that fits no buffer',
    ...HARD,
    breaks: ['frames'],
    plants: () =>
      onCodecs((codec) => ({ ...codec, write: (sending, now) => codec.write(sending, now, 4_096) })),
  },
  {
    name: 'a delivery without a sweep',
    ...HARD,
    breaks: ['rest', 'stages', 'missed'],
    plants: () => inDelivery(() => ({ start: () => async () => undefined })),
  },
]

/** The gate can't cancel the timer that ends a connection without a birth. */
function onTimeouts(start: (delayMs: number, act: () => void, clock: Clock) => void): Plants {
  return inGateDeps((deps) => {
    const { clock } = deps
    const after: Clock['after'] = (delayMs, act) => {
      if (delayMs !== BIRTH_TIMEOUT_MS) return clock.after(delayMs, act)
      start(delayMs, act, clock)
      return () => undefined
    }
    return { ...deps, clock: { ...clock, after } }
  })
}

function willEndsTheNewest(): Plants {
  const newest = new Map<string, Session>()
  return inDelivery((delivery) => ({
    open(identity, ...rest) {
      const session = delivery.open(identity, ...rest)
      newest.set(identity.serial, session)
      return session
    },
    async receive(session, heard) {
      if (heard.kind !== 'gone') return delivery.receive(session, heard)
      delivery.leave(newest.get(session.serial) ?? session)
      return false
    },
  }))
}

/** What the gate takes for the end of the older connection is none. */
function takeoverWithoutClose(): Plants {
  const connecting = new Map<string, number>()
  return inGate((gate) => ({
    async connect(packet, wire) {
      const { clientId } = packet
      const older = connecting.get(clientId) ?? 0
      connecting.set(clientId, older + 1)
      let connection: Connection | undefined
      const close = () => ((connecting.get(clientId) ?? 0) > 0 ? connection?.closed() : wire.close())
      const answer = await gate.connect(packet, { ...wire, close })
      connecting.set(clientId, (connecting.get(clientId) ?? 1) - 1)
      if (!('why' in answer)) connection = answer
      return answer
    },
  }))
}

/** Sends the PUBACKs itself, when `when` says so. */
function confirming(when: (stored: Promise<boolean>, confirm: () => void) => unknown): Plants {
  return onConnections((connection, _serial, wire) => ({
    ...connection,
    publish({ messageId, ...packet }: Published) {
      const stored = connection.publish(packet)
      if (messageId !== undefined)
        void when(stored, () => wire.write(Buffer.of(0x40, 2, messageId >> 8, messageId & 0xff)))
      return stored
    },
  }))
}

function breachWithoutClose(): Plants {
  return inGate((gate) => ({
    async connect(packet, wire) {
      let publishing = 0
      const close = () => {
        if (publishing === 0) wire.close()
      }
      const answer = await gate.connect(packet, { ...wire, close })
      if ('why' in answer) return answer
      return {
        ...delegate(answer),
        async publish(published) {
          publishing += 1
          try {
            return await answer.publish(published)
          } finally {
            publishing -= 1
          }
        },
      }
    },
  }))
}

const inPacing = (planted: Partial<Pacing>) =>
  inDialect(({ rules }) => ({ rules: { ...rules, pacing: { ...rules.pacing, ...planted } } }))

function writesOnce(codec: Codec): Codec {
  const written = new Map<string, ReturnType<Codec['write']>>()
  return {
    ...codec,
    write(sending, now, bufferBytes) {
      const first = written.get(sending.id) ?? codec.write(sending, now, bufferBytes)
      written.set(sending.id, first)
      return first
    },
  }
}
