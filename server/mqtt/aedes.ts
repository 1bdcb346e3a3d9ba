import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Aedes, AedesOptions, Client, ConnectPacket } from 'aedes'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { plainAddress } from '../platform/net/address.ts'
import { createConnectLimit } from './connect-limit.ts'
import type { Connection, ConnectionDeps } from './connection.ts'
import { createDirectAedes } from './direct-aedes.ts'
import type { Gate } from './gate.ts'
import { DRAIN_TIMEOUT_MS, type Wire } from './link.ts'
import { guardPackets, MOST_UNDER_WAY, type PacketGuard } from './packet-guard.ts'
import { createStrangers, type Places, type Stranger } from './strangers.ts'

/** A CONNECT must arrive within this time. */
export const CONNECT_TIMEOUT_MS = 10_000

export interface BrokerDeps {
  gate: Gate
  clock: Clock
  metrics: ConnectionDeps['metrics']
  /** Connections a second from one address. */
  connectsPerSecond: number
  /** For connections on which no device has logged in. */
  places?: Places
  log: Logger
}

/** A connection that was let in. */
export interface Visitor extends Pick<Stranger, 'loggedIn'> {
  address: string
  /** Ends the connection. TCP discards what it has not delivered. */
  reset(): void
}

/** Speakers of sb/1, or boxes of other makers. */
export type Door = 'speakers' | 'boxes'

/** What is known of an Aedes client. */
interface Visit {
  visitor: Visitor
  door: Door
  guard: PacketGuard
  connect?: ConnectPacket
  connection?: Connection
  /** The log has the reason of its end. */
  isLogged: boolean
}

export type Broker = Awaited<ReturnType<typeof createBroker>>

/**
 * The embedded MQTT broker: it reads packets, keeps connections alive, and asks the gate about everything else. It
 * keeps no session, no retained message and no queue. Why: the database is the only queue, because Aedes's own loses
 * messages without a sign.
 */
export async function createBroker(deps: BrokerDeps) {
  const { clock, metrics, connectsPerSecond, places, log } = deps
  const mayConnect = createConnectLimit(clock, connectsPerSecond)
  const gaveWay = (address: string) => turnedAway(address, 'too_many_waiting', 'gave way to a newer one')
  const strangers = createStrangers(gaveWay, places)
  const visits = new WeakMap<Client, Visit>()
  const boxes = new Map<Client, Visitor>()
  const aedes = await createDirectAedes(askGate(deps, visits), (client, messageId) =>
    visits.get(client)?.connection?.confirmed(messageId),
  )

  function refused(address: string, reason: string, why: string) {
    metrics.mqttRefused(reason)
    log.warn({ address, why }, 'connection closed')
  }

  function turnedAway(address: string, reason: string, why: string) {
    metrics.mqttRefused(reason)
    log.debug({ address, why }, 'connection turned away')
  }

  // What a box has not confirmed must not arrive later: it is sent once more.
  aedes.on('keepaliveTimeout', (client) => boxes.get(client)?.reset())
  aedes.on('ping', (_packet, client) => visits.get(client)?.connection?.ping())
  logErrors(aedes, visits, deps)

  return {
    /**
     * Lets a connection from an address in. Undefined when there are too many: it was destroyed then. Call this once for
     * each connection, before any work on it. It is destroyed if it gives way to a newer one before its device logs in.
     */
    admit(socket: Duplex, peer: string): Visitor | undefined {
      const address = plainAddress(peer)
      if (!mayConnect(address)) {
        turnedAway(address, 'too_often', 'too many connections a second from its network')
        socket.destroy()
        return undefined
      }
      const { loggedIn, leaves } = strangers.add(socket, address)
      socket.once('close', leaves)
      const reset = () => (socket instanceof Socket ? socket.resetAndDestroy() : socket.destroy())
      return { address, loggedIn, reset }
    },
    /**
     * Bounds a connection of which a proxy has not named the client yet. Call the returned function when it has. The
     * connection is destroyed if it gives way to a newer one.
     */
    awaitClient(socket: Duplex, proxy: string): () => void {
      const leaves = strangers.addBehind(plainAddress(proxy), socket)
      socket.once('close', leaves)
      return leaves
    },
    /** Serves a visitor, whose packets come by this stream: over TCP, TLS or WebSocket. */
    serve(stream: Duplex, visitor: Visitor, door: Door = 'speakers') {
      const guard = guardPackets(stream, clock, (reason) => {
        visit.isLogged = true
        metrics.mqttRefused(reason)
        log.warn({ serial: client.id, address: visitor.address, why: reason }, 'connection closed')
      })
      const visit: Visit = { visitor, door, guard, isLogged: false }
      const client = aedes.handle(stream)
      visits.set(client, visit)
      if (door === 'speakers') return
      boxes.set(client, visitor)
      stream.once('close', () => boxes.delete(client))
    },
    /** Counts a connection that was refused before it was served, and logs why. */
    refused,
    close: () => {
      strangers.destroyAll()
      for (const box of boxes.values()) box.reset()
      return new Promise<void>((resolve) => aedes.close(resolve))
    },
  }
}

/** Reports the ends of connections that the gate has not reported. */
function logErrors(aedes: Aedes, visits: WeakMap<Client, Visit>, { metrics, log }: BrokerDeps) {
  for (const event of ['clientError', 'connectionError'] as const)
    aedes.on(event, (client: Client, error: Error) => {
      const visit = visits.get(client)
      if (!visit || visit.isLogged) return
      const [{ address }, { id: serial }, why] = [visit.visitor, client, error.message]
      if (isLoss(error)) return log.debug({ serial, address, why }, 'connection lost')
      if (!visit.connection) {
        metrics.mqttRefused('no_connect')
        return log.info({ address, why }, 'connection closed without a CONNECT')
      }
      metrics.mqttRefused(why === 'drain timeout' ? 'slow_reader' : 'breach')
      log.warn({ serial, address, why }, 'connection closed')
    })
}

/** The connection was lost: it was the network or the power. */
function isLoss(error: Error): boolean {
  if (error.message === 'keep alive timeout') return true
  return 'code' in error && /^(E[A-Z]+|ERR_STREAM_\w+)$/.test(String(error.code))
}

/** Aedes asks the gate for every CONNECT, subscription and publish. */
function askGate({ gate, log }: BrokerDeps, visits: WeakMap<Client, Visit>): AedesOptions {
  /** The gate answers with values. An error is a bug of the hub. */
  const closeAfter = (client: Client) => (error: unknown) => {
    log.error({ serial: client.id, err: error }, 'the gate failed, connection closed')
    client.close()
  }
  /** Aedes closes the connection; the gate has said why. */
  const refusal = (visit: Visit | undefined, error: Error) => {
    if (visit) visit.isLogged = true
    return error
  }

  let boxes = 0

  return {
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: DRAIN_TIMEOUT_MS,
    // Packets that may wait while the CONNECT is being checked.
    queueLimit: MOST_UNDER_WAY,

    preConnect(client, packet: ConnectPacket, done) {
      const visit = visits.get(client)
      if (visit) visit.connect = visit.door === 'boxes' ? { ...packet } : packet
      // Boxes that were made with one client id would disconnect each other, and the broker keeps no session. A will comes
      // from a box that is gone, and its topic and payload are whatever its maker has chosen.
      if (visit?.door === 'boxes')
        Object.assign(packet, { clientId: `box-${++boxes}`, clean: true, will: undefined })
      done(null, visit !== undefined)
    },

    authenticate(client, _username, _password, done) {
      const visit = visits.get(client)
      if (!visit?.connect) return done(null, false)
      const { connect } = visit
      // It holds the password.
      delete visit.connect
      const wire = wireTo(client, visit)
      const answered = visit.door === 'boxes' ? gate.connectBox(connect, wire) : gate.connect(connect, wire)
      answered.then((answer) => {
        if ('why' in answer) {
          const { returnCode, why } = answer
          return done(Object.assign(refusal(visit, new Error(why)), { returnCode }), null)
        }
        visit.connection = answer
        visit.visitor.loggedIn()
        // It may have ended while its password was checked.
        if (client.conn.destroyed) answer.closed()
        else client.conn.once('close', () => answer.closed())
        done(null, true)
      }, closeAfter(client))
    },

    authorizeSubscribe(client, subscription, done) {
      const visit = visits.get(client)
      if (visit?.connection?.subscribe(subscription)) done(null, subscription)
      else done(refusal(visit, new Error('subscription refused')))
    },

    authorizePublish(client, packet, done) {
      const visit = client ? visits.get(client) : undefined
      if (!client || !visit?.connection) return done(new Error('no connection'))
      const { guard, connection } = visit
      guard.begin()
      connection.publish(packet).then((isStored) => {
        guard.end()
        if (!isStored) return done(refusal(visit, new Error('packet refused')))
        // The gate has sent the PUBACK.
        packet.qos = 0
        done(null)
      }, closeAfter(client))
    },
  }
}

/** The gate's way to the connection of an Aedes client. */
export function wireTo(
  client: Pick<Client, 'conn' | 'closed' | 'close'>,
  { visitor, guard }: { visitor: Pick<Visitor, 'address' | 'reset'>; guard: Pick<PacketGuard, 'expect'> },
): Wire {
  const { conn } = client
  return {
    address: visitor.address,
    expect: guard.expect,
    write: (packets) => client.closed || conn.destroyed || conn.write(packets),
    // Aedes emits it also when it closes the connection.
    whenDrained: (act) => void conn.once('drain', act),
    close: () => client.close(),
    reset() {
      visitor.reset()
      client.close()
    },
  }
}
