import type { Duplex } from 'node:stream'
import type { Client, ConnectPacket, PublishPacket, Subscription } from 'aedes'
import type { Delivery } from '../delivery/delivery.ts'
import { type Admission, Breach, type Codec, type Dialect } from '../delivery/dialect.ts'
import type { Session } from '../delivery/session/ports.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import type { Metrics } from '../operate/metrics.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { ClientLink, DRAIN_TIMEOUT_MS } from './client-link.ts'
import { createConnectLimit } from './connect-limit.ts'
import { createDirectAedes } from './direct-aedes.ts'
import { guardPackets } from './packet-guard.ts'
import { createTakeovers } from './takeovers.ts'

/** A CONNECT must arrive within this time. */
const CONNECT_TIMEOUT_MS = 10_000
/** Packets of one device that may wait while its CONNECT is being checked. */
const QUEUE_BEFORE_CONNECT = 16

/** MQTT 3.1.1, 3.2.2.3 (sb/1 1.5). */
const CONNACK = { identifierRejected: 2, unavailable: 3, badCredentials: 4 } as const

/** What is known of a connection. */
interface Peer {
  identity: Admission
  codec: Codec
  deviceId: string
  link: ClientLink
  subscribed: boolean
  session: Session | undefined
  /** The birth while it is being recorded; what comes behind it waits for it. */
  birth: Promise<void>
}

export interface BrokerDeps {
  devices: Pick<DeviceRecords, 'credentials'>
  delivery: Delivery
  dialect: Dialect
  clock: Clock
  metrics: Pick<Metrics, 'mqttRefused' | 'takeover'>
  /** Connections a second from one address. */
  connectsPerSecond: number
  log: Logger
}

export interface Broker {
  /** Whether a connection from an address may be served; asked once for each, before anything is spent on it. */
  admits(address: string): boolean
  /** Serves one connection from an address, whatever carries it: TCP, TLS or WebSocket. */
  serve(stream: Duplex, address: string): void
  /** Closes the connection of a device, if it has one. */
  disconnect(serial: string): void
  close(): Promise<void>
}

/**
 * The embedded MQTT broker, held to what sb/1 allows. It keeps nothing: no session, no retained message, no
 * queue. Why: the database is the only queue, because Aedes's own loses messages without a sign.
 */
export async function createBroker(deps: BrokerDeps): Promise<Broker> {
  const { delivery, dialect, clock, metrics, log } = deps
  const mayConnect = createConnectLimit(clock, deps.connectsPerSecond)
  const takeovers = createTakeovers(clock)
  const refusals = new WeakMap<Client, string>()
  const identities = new WeakMap<Client, Admission>()
  const peers = new WeakMap<Client, Peer>()
  const clients = new Map<string, Client>()

  function noteTakeover(serial: string) {
    metrics.takeover()
    if (takeovers.note(serial))
      log.warn({ serial }, 'taken over again and again: do two devices have one identity?')
  }

  const aedes = await createDirectAedes({
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: DRAIN_TIMEOUT_MS,
    queueLimit: QUEUE_BEFORE_CONNECT,

    preConnect(client, packet: ConnectPacket, done) {
      const checked = dialect.admit(packet)
      if ('refused' in checked) refusals.set(client, checked.refused)
      else identities.set(client, checked)
      done(null, true)
    },

    authenticate(client, _username, password, done) {
      const refuse = (returnCode: number, why: string) => {
        metrics.mqttRefused(`connack_${returnCode}`)
        log.warn({ client: client.id, why }, 'connect refused')
        done(Object.assign(new Error(why), { returnCode }), null)
      }
      const identity = identities.get(client)
      if (!identity) return refuse(CONNACK.identifierRejected, refusals.get(client) ?? 'no identity')
      authenticate(deps, client, identity, password).then(
        (peer) => {
          if (!peer) return refuse(CONNACK.badCredentials, 'unknown serial or wrong password')
          peers.set(client, peer)
          // The broker ends the older connection before it announces this one.
          if (clients.has(identity.serial)) noteTakeover(identity.serial)
          done(null, true)
        },
        (error: unknown) => {
          log.error({ err: error }, 'credentials can not be read')
          refuse(CONNACK.unavailable, 'the hub is unavailable')
        },
      )
    },

    authorizeSubscribe(client, subscription: Subscription, done) {
      const peer = peers.get(client)
      if (!peer) return done(new Breach('subscribe: no device'))
      const { refused } = dialect.maySubscribe(peer.identity.serial, subscription)
      if (refused !== undefined) return done(new Breach(refused))
      peer.subscribed = true
      done(null, subscription)
    },

    authorizePublish(client, packet, done) {
      const peer = client && peers.get(client)
      if (!peer) return done(new Breach('publish: no device'))
      const confirm = peer.link.received(packet)
      receive(deps, peer, packet).then(
        () => {
          confirm()
          done(null)
        },
        (error: unknown) => {
          metrics.mqttRefused('breach')
          log.warn({ serial: peer.identity.serial, err: error }, 'publish refused, connection closed')
          done(error instanceof Error ? error : new Error('publish refused'))
        },
      )
    },
  })

  aedes.on('client', (client: Client) => {
    const peer = peers.get(client)
    if (!peer) return client.close()
    const { identity, deviceId, codec, link } = peer
    const { serial, sessionId, keepaliveMs } = identity
    clients.set(serial, client)
    peer.session = delivery.open({ deviceId, serial, sessionId }, keepaliveMs, { writer: codec, link })
    log.info({ serial, sid: sessionId }, 'device connected')
  })
  aedes.on('clientDisconnect', (client: Client) => {
    const session = peers.get(client)?.session
    if (!session) return
    if (clients.get(session.serial) === client) clients.delete(session.serial)
    delivery.leave(session)
    log.info({ serial: session.serial, sid: session.sessionId }, 'device disconnected')
  })
  aedes.on('ping', (_packet, client) => {
    const session = peers.get(client)?.session
    if (session) session.lastSeenAt = clock.elapsed()
  })
  aedes.on('clientError', (client: Client, error: Error) =>
    log.debug({ client: client.id, err: error }, 'client error'),
  )
  aedes.on('connectionError', (_client: Client, error: Error) =>
    log.debug({ err: error }, 'connection error'),
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
    disconnect(serial) {
      clients.get(serial)?.close()
    },
    close: () => new Promise((resolve) => aedes.close(resolve)),
  }
}

/** Checks the password; the keys of a device that may connect, undefined for all others alike (sb/1 2.4). */
async function authenticate(
  { devices, dialect, clock }: BrokerDeps,
  client: Client,
  identity: Admission,
  password: Buffer | undefined,
): Promise<Peer | undefined> {
  const credentials = await devices.credentials(identity.serial)
  if (!credentials || credentials.revoked) return undefined
  if (!dialect.verify(password, credentials.loginHash)) return undefined
  const { deviceId } = credentials
  return {
    identity,
    deviceId,
    codec: dialect.codec(identity, credentials.key),
    link: new ClientLink(client, dialect.commandTopic(identity.serial), clock),
    subscribed: false,
    session: undefined,
    birth: Promise.resolve(),
  }
}

/** Reads what a device publishes, and checks that its birth has its place (sb/1 4.2). */
async function receive({ delivery, clock }: BrokerDeps, peer: Peer, packet: PublishPacket) {
  const heard = peer.codec.read(packet)
  const { session } = peer
  if (!session) throw new Breach('publish: no session')
  if (heard.kind === 'born' && !peer.subscribed) throw new Breach('birth: before the subscription')
  session.lastSeenAt = clock.elapsed()
  if (heard.kind === 'born') {
    const birth = delivery.receive(session, heard)
    // What comes behind the birth waits until it is over, whether it succeeded or not.
    peer.birth = birth.catch(() => undefined)
    return birth
  }
  await peer.birth
  await delivery.receive(session, heard)
}
