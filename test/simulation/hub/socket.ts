import { UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Published } from '../../../server/mqtt/link.ts'
import type { Connect } from '../../../server/mqtt/login.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import { type DownPacket, readPackets } from '../../support/mqtt/packets.ts'
import type { GateWatch } from '../oracle/gate.ts'
import type { Hub } from './hub.ts'

/** The keepalive that the devices say in their CONNECT, seconds. */
export const KEEPALIVE_S = 30

/** When a packet was written. */
export interface Departure {
  elapsed: number
  now: number
}

export interface Hello {
  serial: string
  sid: string
  password: string
}

/** The device's end of the connection, behind the network. */
export interface FarEnd {
  /** A packet leaves the hub, which has written it at that time. */
  packet(packet: DownPacket, written: Departure): void
  /** The hub has closed the connection. */
  closed(): void
}

/**
 * The hub's end of one connection: a socket and a broker, as the gate sees them. A broken rule of the gate is reported to
 * the oracle.
 */
export interface Socket {
  /** `changes` break the CONNECT. */
  connect(changes?: Partial<Connect>): Promise<'admitted' | 'refused' | 'unavailable'>
  subscribe(topic: string): void
  publish(kind: UpKind, payload: Uint8Array, messageId: number): void
  /** Publishes what the gate must refuse, closing the connection. */
  breach(packet: Published): void
  ping(): void
  /** The device does not read any more: packets are held back. */
  stall(): void
  /** The device reads again. */
  resume(): void
  /** The device breaks the protocol on purpose, or its packets were lost: the hub may close the connection. */
  mayBeClosed(): void
  /** The broker notices that the connection is gone: it publishes the will and reports the end. */
  lost(): void
}

export interface SocketDeps {
  hub: Hub
  clock: Clock
  hello: Hello
  far: FarEnd
  watch: GateWatch
  /** The will is published so long after the end is reported; at 0 before it. */
  willLateByMs: number
  /** Does not know the keys: the gate must refuse it. */
  isImpostor?: boolean
}

export function openSocket({
  hub,
  clock,
  hello,
  far,
  watch,
  willLateByMs,
  isImpostor = false,
}: SocketDeps): Socket {
  const { serial, sid, password } = hello
  const will = { topic: upTopic(serial, 'will'), payload: JSON.stringify({ sid, reason: 'lost' }) }
  const end = watch.open({ serial, sid, hub }, isImpostor)
  let connection: Connection | undefined
  let isOpen = true
  let held: (() => void)[] | undefined
  let drained: (() => void) | undefined

  function write(packets: Buffer): boolean {
    if (!isOpen || !hub.isAlive()) return true
    const left = { elapsed: clock.elapsed(), now: clock.now() }
    for (const packet of readPackets(packets)) {
      end.wrote(packet)
      if (held) held.push(() => far.packet(packet, left))
      else far.packet(packet, left)
    }
    if (held) end.heldBack()
    return !held
  }

  /** A packet of the device has come. */
  function arrives(act: () => void) {
    if (isOpen)
      hub.whenAwake(() => {
        if (isOpen) act()
      })
  }

  function drain() {
    const act = drained
    drained = undefined
    act?.()
  }

  function close() {
    if (!isOpen) return
    if (hub.isAlive()) end.closedByHub()
    far.closed()
    gone()
  }

  /** As Aedes does, the end is reported in a later turn of the event loop. */
  function gone() {
    if (!isOpen) return
    isOpen = false
    // Nothing is held back for a connection that ends.
    end.resumed()
    end.gone()
    drain()
    hub.calls.underWay += 1
    setImmediate(() => {
      hub.calls.underWay -= 1
      end.closed()
      if (!hub.isAlive()) return
      const lastWords = () => connection?.publish({ ...will, qos: 1, retain: false })
      if (willLateByMs === 0) void lastWords()
      connection?.closed()
      if (willLateByMs > 0) clock.after(willLateByMs, () => hub.isAlive() && void lastWords())
    })
  }

  return {
    async connect(changes = {}) {
      const answer = await hub.core.gate.connect(
        {
          ...{ protocolVersion: 4, clientId: serial, username: serial, clean: true, keepalive: KEEPALIVE_S },
          ...{
            password: Buffer.from(password),
            will: { ...will, payload: Buffer.from(will.payload), qos: 1 },
          },
          ...changes,
        },
        {
          address: serial,
          write,
          whenDrained: (act) => (drained = act),
          expect: () => undefined,
          close,
          reset: close,
        },
      )
      if ('why' in answer) {
        isOpen = false
        end.closed()
        return answer.returnCode === 3 ? 'unavailable' : 'refused'
      }
      connection = answer
      if (isOpen) end.admitted()
      else {
        // It has ended while its password was checked.
        end.closed()
        connection.closed()
      }
      return 'admitted'
    },

    subscribe(topic) {
      arrives(() => {
        end.subscribed()
        connection?.subscribe({ topic, qos: 1 })
      })
    },

    publish(kind, payload, messageId) {
      const qos = UP_QOS[kind]
      const packet: Published = { topic: upTopic(serial, kind), payload, qos, retain: false }
      if (qos === 1) packet.messageId = messageId
      arrives(() => {
        if (!connection) return
        const stored = end.heard(kind, payload, messageId)
        void connection.publish(packet).then((isStored) => {
          if (isStored && hub.isAlive()) stored()
        })
      })
    },

    breach(packet) {
      arrives(() => {
        end.mayBeClosed()
        void connection?.publish(packet).then((isStored) => {
          if (hub.isAlive() && (isStored || isOpen)) end.allowsBreach(packet.topic)
        })
      })
    },

    ping() {
      arrives(() => {
        end.pinged()
        connection?.ping()
      })
    },

    stall() {
      held ??= []
      end.stalled()
    },

    resume() {
      const packets = held ?? []
      held = undefined
      end.resumed()
      if (!isOpen) return
      for (const leave of packets) leave()
      drain()
    },

    mayBeClosed: end.mayBeClosed,
    lost: () => hub.whenAwake(gone, gone),
  }
}
