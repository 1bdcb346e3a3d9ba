import { timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Client, ConnectPacket, PublishPacket, Subscription } from 'aedes'
import { deriveKeys, loginHash, parseKey } from '../../protocol/keys.ts'
import type { UpKind } from '../../protocol/topics.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { Breach } from '../delivery/mqtt.ts'
import type { Session } from '../delivery/session/session-interface.ts'
import type { DeviceRecords } from '../devices/ports.ts'
import { type ConnectIdentity, checkConnect } from '../dialects/sb1/connect.ts'
import { checkPublish, checkSubscribe } from '../dialects/sb1/topics.ts'
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
  identity: ConnectIdentity
  upKey: Buffer
  downKey: Buffer
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
  clock: Clock
  metrics: Pick<Metrics, 'mqttRefused' | 'takeover'>
  /** Connections a second from one address. */
  connectsPerSecond: number
  receiveUp: (session: Session, upKey: Buffer, kind: UpKind, payload: Buffer) => Promise<void>
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
  const { delivery, clock, metrics, log } = deps
  const mayConnect = createConnectLimit(clock, deps.connectsPerSecond)
  const takeovers = createTakeovers(clock)
  const refusals = new WeakMap<Client, string>()
  const identities = new WeakMap<Client, ConnectIdentity>()
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
      const checked = checkConnect(packet)
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
      const { refused } = checkSubscribe(peer.identity.serial, subscription)
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
    const { identity, deviceId, downKey, link } = peer
    const { serial, sid, keepaliveMs } = identity
    clients.set(serial, client)
    peer.session = delivery.open({ deviceId, serial, sid, downKey }, keepaliveMs, link)
    log.info({ serial, sid }, 'device connected')
  })
  aedes.on('clientDisconnect', (client: Client) => {
    const session = peers.get(client)?.session
    if (!session) return
    if (clients.get(session.serial) === client) clients.delete(session.serial)
    delivery.leave(session)
    log.info({ serial: session.serial, sid: session.sid }, 'device disconnected')
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
  { devices, clock }: BrokerDeps,
  client: Client,
  identity: ConnectIdentity,
  password: Buffer | undefined,
): Promise<Peer | undefined> {
  const credentials = await devices.credentials(identity.serial)
  const login = parseKey(password?.toString('latin1') ?? '')
  if (!credentials || !login || credentials.revoked) return undefined
  if (!timingSafeEqual(loginHash(login), credentials.loginHash)) return undefined
  const { up, down } = deriveKeys(credentials.key)
  const { deviceId } = credentials
  return {
    identity,
    deviceId,
    upKey: up,
    downKey: down,
    link: new ClientLink(client, identity.serial, clock),
    subscribed: false,
    session: undefined,
    birth: Promise.resolve(),
  }
}

/** Checks where and how a device publishes, and that its birth has its place (sb/1 4.2), then hands on what it says. */
async function receive({ receiveUp, clock }: BrokerDeps, peer: Peer, packet: PublishPacket) {
  const checked = checkPublish(peer.identity.serial, packet)
  if ('refused' in checked) throw new Breach(checked.refused)
  const { kind } = checked
  const { session } = peer
  if (!session) throw new Breach('publish: no session')
  if (kind === 'birth' && !peer.subscribed) throw new Breach('birth: before the subscription')
  session.lastSeenAt = clock.elapsed()
  const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload)
  if (kind === 'birth') {
    const birth = receiveUp(session, peer.upKey, kind, payload)
    // Whoever waits behind it only needs to know that it is over.
    peer.birth = birth.catch(() => undefined)
    return birth
  }
  await peer.birth
  await receiveUp(session, peer.upKey, kind, payload)
}
