import { reconcile } from '../../server/announcements/reconcile.ts'
import type { PARTS } from '../../server/core.ts'
import type { Delivery } from '../../server/delivery/delivery.ts'
import type { Codec, Dialect } from '../../server/delivery/dialect.ts'
import type { Connection } from '../../server/mqtt/connection.ts'
import type { Gate, GateDeps } from '../../server/mqtt/gate.ts'
import type { Wire } from '../../server/mqtt/link.ts'
import type { Storage } from '../../server/storage/ports.ts'
import type { Plants } from './world.ts'

/*
 * Each of these wraps one real part of the hub's core, or what that part is given.
 */

/** One port of the storage. */
export function inPort<P extends keyof Storage>(
  name: P,
  change: (port: Storage[P]) => Partial<Storage[P]>,
): { storage: (storage: Storage) => Storage } {
  return { storage: (storage) => ({ ...storage, [name]: { ...storage[name], ...change(storage[name]) } }) }
}

function altering(change: (parts: typeof PARTS) => Partial<typeof PARTS>): Plants {
  return { parts: (parts) => ({ ...parts, ...change(parts) }) }
}

export function inGateDeps(change: (deps: GateDeps) => GateDeps): Plants {
  return altering(({ createGate: build }) => ({ createGate: (deps) => build(change(deps)) }))
}

export function inGate(change: (gate: Gate) => Partial<Gate>): Plants {
  return altering(({ createGate: build }) => ({
    createGate: (deps) => {
      const gate = build(deps)
      return { ...gate, ...change(gate) }
    },
  }))
}

export function onWires(change: (wire: Wire) => Wire): Plants {
  return inGate((gate) => ({ connect: (packet, wire) => gate.connect(packet, change(wire)) }))
}

export function onConnections(
  change: (connection: Connection, serial: string, wire: Wire) => Connection,
): Plants {
  return inGate((gate) => ({
    async connect(packet, wire) {
      const answer = await gate.connect(packet, wire)
      return 'why' in answer ? answer : change(delegate(answer), packet.clientId, wire)
    },
  }))
}

/** A plain object, which a plant may copy and change. */
export function delegate(connection: Connection): Connection {
  return {
    subscribe: (subscription) => connection.subscribe(subscription),
    publish: (packet) => connection.publish(packet),
    confirmed: (messageId) => connection.confirmed(messageId),
    ping: () => connection.ping(),
    closed: () => connection.closed(),
  }
}

export function inDeliveryDeps(
  change: (deps: Parameters<typeof PARTS.createDelivery>[0]) => Parameters<typeof PARTS.createDelivery>[0],
): Plants {
  return altering(({ createDelivery: build }) => ({ createDelivery: (deps) => build(change(deps)) }))
}

export function inDelivery(change: (delivery: Delivery) => Partial<Delivery>): Plants {
  return altering(({ createDelivery: build }) => ({
    createDelivery: (deps) => {
      const delivery = build(deps)
      return { ...delivery, ...change(delivery) }
    },
  }))
}

export function inDialect(change: (dialect: Dialect) => Partial<Dialect>): Plants {
  return altering(({ dialect }) => ({ dialect: { ...dialect, ...change(dialect) } }))
}

export function onCodecs(change: (codec: Codec) => Codec): Plants {
  return inDialect((dialect) => ({ codec: (...args) => change(dialect.codec(...args)) }))
}

type Reconciled = ReturnType<typeof reconcile>

export function onReconcile(change: (found: Reconciled) => Reconciled): Plants {
  return {
    rules: (rules) => ({
      ...rules,
      reconcile: (all, played, now) => {
        const found = reconcile(all, played, now)
        return { ...found, ...change(found) } as typeof found
      },
    }),
  }
}
