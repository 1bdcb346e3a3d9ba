import type { Duplex } from 'node:stream'
import { Aedes, type AedesOptions, type Client, type ConnectPacket, type PublishPacket } from 'aedes'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { createConnectLimit } from './connect-limit.ts'
import type { Connection, Gate, GateDeps, Wire } from './gate.ts'
import { DRAIN_TIMEOUT_MS } from './link.ts'
import { guardPackets } from './packet-guard.ts'

/** A CONNECT must arrive within this time. */
const CONNECT_TIMEOUT_MS = 10_000
/** Packets of one device that may wait while its CONNECT is being checked. */
const QUEUE_BEFORE_CONNECT = 16

export interface BrokerDeps {
  gate: Gate
  clock: Clock
  metrics: Pick<GateDeps['metrics'], 'mqttRefused'>
  /** Connections a second from one address. */
  connectsPerSecond: number
  log: Logger
}

export interface Broker {
  /** Whether a connection from an address may be served. Asked once for each connection, before any work on it. */
  admits(address: string): boolean
  /** Serves one connection from an address: over TCP, TLS or WebSocket. */
  serve(stream: Duplex, address: string): void
  close(): Promise<void>
}

/**
 * The embedded MQTT broker: it reads packets, keeps connections alive, and asks the gate about everything else. It
 * keeps no session, no retained message and no queue. Why: the database is the only queue, because Aedes's own loses
 * messages without a sign.
 */
export async function createBroker(deps: BrokerDeps): Promise<Broker> {
  const { gate, clock, metrics, connectsPerSecond, log } = deps
  const mayConnect = createConnectLimit(clock, connectsPerSecond)
  const connects = new WeakMap<Client, ConnectPacket>()
  const connections = new WeakMap<Client, Connection>()

  /** The gate answers with values. An error is a bug of the hub. */
  const closeAfter = (client: Client) => (error: unknown) => {
    log.error({ client: client.id, err: error }, 'the gate failed, connection closed')
    client.close()
  }

  const aedes = await createDirectAedes({
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: DRAIN_TIMEOUT_MS,
    queueLimit: QUEUE_BEFORE_CONNECT,

    preConnect(client, packet: ConnectPacket, done) {
      connects.set(client, packet)
      done(null, true)
    },

    authenticate(client, _username, _password, done) {
      const packet = connects.get(client)
      if (!packet) return done(null, false)
      // It holds the password.
      connects.delete(client)
      gate.connect(packet, wireTo(client)).then((answer) => {
        if ('why' in answer) {
          const { returnCode, why } = answer
          return done(Object.assign(new Error(why), { returnCode }), null)
        }
        connections.set(client, answer)
        // It may have ended while its password was checked.
        if (client.conn.destroyed) answer.closed()
        else client.conn.once('close', answer.closed)
        done(null, true)
      }, closeAfter(client))
    },

    authorizeSubscribe(client, subscription, done) {
      if (connections.get(client)?.subscribe(subscription)) done(null, subscription)
      else done(new Error('subscription refused'))
    },

    authorizePublish(client, packet, done) {
      const connection = client && connections.get(client)
      if (!connection) return done(new Error('no connection'))
      connection.publish(packet).then((isStored) => {
        if (!isStored) return done(new Error('packet refused'))
        // The gate has sent the PUBACK.
        packet.qos = 0
        done(null)
      }, closeAfter(client))
    },
  })

  aedes.on('ping', (_packet, client) => connections.get(client)?.ping())
  for (const event of ['clientError', 'connectionError'] as const)
    aedes.on(event, (client: Client, err: Error) =>
      log.debug({ client: client.id, err, event }, 'client error'),
    )

  return {
    admits(address) {
      if (mayConnect(address)) return true
      metrics.mqttRefused('too_often')
      log.debug({ address }, 'too many connections from one address')
      return false
    },
    serve(stream, address) {
      guardPackets(stream, clock, (why) => {
        metrics.mqttRefused(why)
        log.warn({ address, why }, 'packets over the limit: connection closed')
      })
      aedes.handle(stream)
    },
    close: () => new Promise((resolve) => aedes.close(resolve)),
  }
}

/** The gate's way to the connection of an Aedes client. */
export function wireTo(client: Pick<Client, 'conn' | 'closed' | 'close'>): Wire {
  const { conn } = client
  return {
    write: (packets) => client.closed || conn.destroyed || conn.write(packets),
    // Aedes emits it also when it closes the connection.
    whenDrained: (act) => void conn.once('drain', act),
    close: () => client.close(),
  }
}

type Done = (error?: Error) => void

/**
 * Aedes without routes between its clients: a client gets what is published to it, and nothing else.
 *
 * Why: devices speak to the hub alone, which takes in what they say as it authorises it, and a command goes to one
 * client. To look for subscribers of an ack took 5 % of the MQTT side, their subscriptions 7 % of a connect and 4 % of
 * the memory for a speaker.
 */
class DirectAedes extends Aedes {
  /** Only the broker's own messages are published: by its heartbeat it knows the wills of its clients for its own. */
  override publish(packet: PublishPacket, from: Client | null | Done, done?: Done) {
    if (typeof from === 'function') super.publish(packet, from)
    else done?.()
  }

  // Answered in a later turn, as by Aedes: who closes a client is not told at once that it has gone.

  override subscribe(_topic: string, _deliver: unknown, done: () => void) {
    setImmediate(done)
  }

  override unsubscribe(_topic: string, _deliver: unknown, done?: () => void) {
    if (done) setImmediate(done)
  }
}

export async function createDirectAedes(options: AedesOptions): Promise<Aedes> {
  const aedes = new DirectAedes(options)
  await aedes.listen()
  // Aedes looks for each PUBACK in a list of the packets that it has sent, but it does not send the commands. Its types
  // leave this field out.
  const { persistence } = aedes as unknown as { persistence: { outgoingClearMessageId(): Promise<void> } }
  persistence.outgoingClearMessageId = () => Promise.resolve()
  return aedes
}
