import type { Delivery } from '../delivery/delivery.ts'
import {
  type Admission,
  Breach,
  type ConnectRequest,
  type Dialect,
  type Subscription,
} from '../delivery/dialect.ts'
import type { Session } from '../delivery/session/session.ts'
import type { DeviceCredentials } from '../devices/device.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { awaitBirth, recordBirth } from './births.ts'
import { closeEvenly, type Standing } from './hand-over.ts'
import { createLink, type Published, type Wire } from './link.ts'
import { createTakeovers } from './takeovers.ts'

/** MQTT 3.1.1, 3.2.2.3 (sb/1 1.5). */
const CONNACK = { identifierRejected: 2, unavailable: 3, badCredentials: 4 } as const

/** Whatever a dialect admits: Aedes would look for an older session in a persistence that keeps none, and end the process. */
const NO_SESSIONS = 'not a clean session, and the broker keeps none'

/** Characters of a client id that a log shows when it is no serial. */
const SHOWN_ID = 64

/** An admitted connection. Its carrier reports here what happens on it. */
export interface Connection {
  /** False for a breach: the gate closes the connection. */
  subscribe(subscription: Subscription): boolean
  /**
   * Resolves to true when what the packet says is stored; its PUBACK is then on its way. Resolves to false when the
   * gate closes the connection instead.
   */
  publish(packet: Published): Promise<boolean>
  ping(): void
  /** The connection has ended. May be called more than once. */
  closed(): void
}

/** A CONNECT that is refused, with the return code of its CONNACK. */
export interface Refused {
  returnCode: number
  why: string
}

/** The rules of a device's connection, whatever carries it. */
export interface Gate {
  /** Answers a CONNECT. An older connection of the same device has ended by then (sb/1 3.4). */
  connect(packet: Connect, wire: Wire): Promise<Connection | Refused>
  /** Closes the connection of a device, if it has one. */
  disconnect(serial: string): void
  /**
   * Refuses new connections, and closes those that stand evenly over `withinMs`, those with nothing under way first.
   * Resolves when all have ended. By the machine's clock: PostgreSQL, whose time the hub goes by, may be away.
   */
  handOver(withinMs: number, machine: Clock): Promise<void>
  /** Closes no more, and takes new connections. */
  takeAgain(): void
}

/** The fields of a CONNECT that the gate checks. */
export interface Connect extends ConnectRequest {
  password?: Buffer | undefined
}

export interface GateDeps {
  devices: Pick<DeviceRecords, 'credentials'>
  delivery: Pick<Delivery, 'open' | 'receive' | 'leave'>
  dialect: Dialect
  clock: Clock
  metrics: { mqttRefused(reason: string): void; takeover(): void }
  log: Logger
}

export function createGate(deps: GateDeps): Gate {
  const { devices, dialect, clock, metrics, log } = deps
  const takeovers = createTakeovers(clock)
  /** By serial. */
  const connections = new Map<string, Standing>()
  /** Refuses connections. Another object for each hand-over. */
  let handingOver: object | undefined

  function refuse(client: string, { address }: Wire, [returnCode, why]: readonly [number, string]): Refused {
    metrics.mqttRefused(`connack_${returnCode}`)
    log.warn({ client: client.slice(0, SHOWN_ID), address, why }, 'connect refused')
    return { returnCode, why }
  }

  function countTakeover(serial: string) {
    metrics.takeover()
    if (takeovers.note(serial))
      log.warn({ serial }, 'taken over again and again: do two devices have one identity?')
  }

  return {
    async connect(packet, wire) {
      const admission = dialect.admit(packet)
      if ('refused' in admission)
        return refuse(packet.clientId, wire, [CONNACK.identifierRejected, admission.refused])
      if (packet.clean !== true)
        return refuse(packet.clientId, wire, [CONNACK.identifierRejected, NO_SESSIONS])
      const { serial } = admission
      await clock.fresh?.()
      const credentials = await devices.credentials(serial).catch((error: unknown) => {
        // The sweep says why, once.
        if (!isUnavailable(error)) log.error({ err: error }, 'credentials can not be read')
        return 'unavailable' as const
      })
      if (credentials === 'unavailable')
        return refuse(serial, wire, [CONNACK.unavailable, 'the hub is unavailable'])
      // Unknown, revoked and wrong are answered alike (sb/1 2.4).
      const used =
        credentials && !credentials.revoked ? keyOf(dialect, credentials, packet.password) : undefined
      if (!credentials || !used)
        return refuse(serial, wire, [CONNACK.badCredentials, 'unknown serial or wrong password'])
      // No await between the last look and `set`: of two that connect at once, the second ends the first.
      for (let older = connections.get(serial); older; older = connections.get(serial)) {
        countTakeover(serial)
        older.close()
        await older.gone
      }
      if (handingOver) return refuse(serial, wire, [CONNACK.unavailable, 'the hub hands its speakers over'])
      const { promise: gone, resolve } = Promise.withResolvers<void>()
      const { deviceId } = credentials
      const connection = openConnection(deps, { admission, deviceId, used, wire }, () => {
        if (connections.get(serial) === standing) connections.delete(serial)
        resolve()
      })
      const standing = { isIdle: connection.isIdle, close: () => wire.close(), gone }
      connections.set(serial, standing)
      return connection
    },

    disconnect: (serial) => connections.get(serial)?.close(),

    handOver(withinMs, machine) {
      const mine = {}
      handingOver = mine
      log.info({ speakers: connections.size, withinMs }, 'handing the speakers over')
      return closeEvenly(connections.values(), machine, withinMs, () => handingOver === mine)
    },

    takeAgain() {
      handingOver = undefined
    },
  }
}

/** The key that a device has connected with. */
type UsedKey = Pick<DeviceCredentials, 'key' | 'loginHash'>

/** The device's key that fits the password: the one in force, or its next one (sb/1 2.9). */
function keyOf(
  dialect: Dialect,
  credentials: DeviceCredentials,
  password: Buffer | undefined,
): UsedKey | undefined {
  const keys: (UsedKey | undefined)[] = [credentials, credentials.next]
  return keys.find((one) => one && dialect.verify(password, one.loginHash))
}

function openConnection(
  { delivery, dialect, clock, metrics, log }: GateDeps,
  { admission, deviceId, used, wire }: { admission: Admission; deviceId: string; used: UsedKey; wire: Wire },
  onClosed: () => void,
): Connection & Pick<Session, 'isIdle'> {
  const { serial, sessionId } = admission
  const who = { serial, sid: sessionId, address: wire.address }
  const login = used.loginHash.toString('hex')
  const codec = dialect.codec(admission, used.key)
  const onSlow = (why: string) => cut('slow_reader', why)
  const link = createLink(wire, { topic: dialect.commandTopic(serial), clock, onSlow })
  const session = delivery.open({ ...admission, deviceId, login }, { writer: codec, link })
  log.info(who, 'device connected')
  const births = awaitBirth(clock, () => cut('no_birth', 'no birth in time'))
  let isOpen = true
  let isCut = false

  /** Reads what a device publishes. */
  async function take(packet: Published): Promise<void> {
    const fresh = clock.fresh?.()
    if (fresh !== undefined) await fresh
    const heard = codec.read(packet)
    session.lastSeenAt = clock.elapsed()
    if (heard.kind !== 'born') {
      await births.last
      if (await delivery.receive(session, heard)) wire.expect(1)
      return
    }
    await recordBirth(births, () => delivery.receive(session, heard))
  }

  function cut(reason: string, why: string): false {
    // What comes behind a breach, and what the end of the connection still brings, is one story.
    if (isOpen && !isCut) {
      isCut = true
      metrics.mqttRefused(reason)
      log.warn({ ...who, why }, 'connection closed')
    }
    wire.close()
    return false
  }

  function refuse(error: unknown): false {
    if (error instanceof Breach) return cut('breach', error.message)
    if (!isUnavailable(error)) log.error({ ...who, err: error }, 'a packet could not be taken in')
    return cut('unavailable', 'the hub is unavailable')
  }

  return {
    isIdle: () => session.isIdle(),

    subscribe(subscription) {
      const { refused } = dialect.maySubscribe(serial, subscription)
      if (refused !== undefined) return refuse(new Breach(refused))
      births.isSubscribed = true
      return true
    },

    async publish(packet) {
      const confirm = link.received(packet)
      try {
        if (packet.qos > 1) throw new Breach('QoS 2, and the broker keeps no packet')
        await take(packet)
        confirm()
        return true
      } catch (error) {
        return refuse(error)
      }
    },

    ping() {
      session.lastSeenAt = clock.elapsed()
    },

    closed() {
      if (!isOpen) return
      isOpen = false
      births.stop()
      onClosed()
      delivery.leave(session)
      log.info(who, 'device disconnected')
    },
  }
}
