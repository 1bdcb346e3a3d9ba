import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import { createCore } from './core.ts'
import { createConnections } from './http/connections.ts'
import { createDrain } from './http/drain.ts'
import { createRefusals } from './http/errors/before-http.ts'
import type { Readiness } from './http/operations.ts'
import { requestAddress } from './http/request-address.ts'
import { createHttpServer } from './http/server.ts'
import { createBroker } from './mqtt/aedes.ts'
import { createMqttServer, createMqttTlsServer, serveMqttOverWebSocket } from './mqtt/listeners.ts'
import { serveCliRequests } from './operate/cli-requests.ts'
import { createMetrics } from './operate/metrics.ts'
import { startRetention } from './operate/retention.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { freeBytes } from './platform/disk.ts'
import type { Ids } from './platform/ids.ts'
import { listen } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'
import { hubRules } from './storage/rules.ts'
import { openDataFolder } from './storage/sqlite/file/data-folder.ts'
import { makeOnFirstStart } from './storage/sqlite/file/first-start.ts'
import { lockForOneHub } from './storage/sqlite/file/hub-lock.ts'
import { type OpenStorage, openFolder } from './storage/sqlite/file/open-folder.ts'

/** Requests under way at shutdown get this long to finish. */
const DRAIN_MS = 10_000

/** How long a reader of the figures may take at shutdown. */
const DRAIN_ADMIN_MS = 1_000

/** Where a hub serves. Undefined: that listener is switched off. */
export interface Addresses {
  http: string
  mqtt: string | undefined
  mqtts: string | undefined
  admin: string
}

/** A hub that serves. */
export interface RunningHub extends Addresses {
  /** Takes nothing new, lets what is under way finish, and closes everything in reverse. */
  stop(): Promise<void>
}

export interface HubDeps {
  clock: Clock
  ids: Ids
  log: Logger
  openStorage: OpenStorage
  /** Ends a start that is under way: `startHub` rejects with its reason, with everything closed. */
  stopping?: AbortSignal
}

/** Builds the hub in order and starts it; when a step fails, what was opened is closed again. */
export async function startHub(config: Config, deps: HubDeps): Promise<RunningHub> {
  const opened = new AsyncDisposableStack()
  try {
    return await build(config, deps, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function build(config: Config, deps: HubDeps, opened: AsyncDisposableStack): Promise<RunningHub> {
  const { clock, ids, log } = deps
  const startedAt = clock.now()
  const folder = openDataFolder(config.dataDir)
  folder.make()
  // Before the lock, whose file tells of an earlier hub.
  makeOnFirstStart(folder, config.masterKey)
  opened.defer(lockForOneHub(folder.lockFile))
  const metrics = createMetrics(clock)
  metrics.watchProcess()
  const { storage, vault, scrubbed } = await openFolder(
    { folder, masterKey: config.masterKey, ids, clock, rules: hubRules(ids), observe: metrics.storage },
    deps.openStorage,
  )
  opened.defer(() => storage.close())
  deps.stopping?.throwIfAborted()
  if (!scrubbed)
    log.warn(
      'the database still holds values that were given up: make room for two more copies of it, and start again',
    )

  let phase: 'starting' | 'serving' | 'draining' = 'starting'
  const readiness = async (): Promise<Readiness> => {
    if (phase !== 'serving') return phase
    return storage.ping().then(
      () => 'ready',
      () => 'storage',
    )
  }
  const { trustsProxy } = config
  const addressOf = (incoming: IncomingMessage) => requestAddress(incoming, trustsProxy)
  const connections = createConnections({ clock, trustsProxy, addressOf, closed: metrics.httpClosed })
  const { delivery, health, gate, app, admin } = createCore({
    ...{ storage, vault, clock, ids, log, metrics, readiness, connections },
    ...{ rate: config.rate, anonymousRate: config.anonymousRate, trustsProxy },
    diskFreeBytes: () => freeBytes(config.dataDir),
  })
  opened.defer(health.stop)
  opened.defer(delivery.start())
  const { connectsPerSecond, keepPaymentsDays } = config
  const broker = await createBroker({ gate, clock, metrics, connectsPerSecond, log })
  opened.defer(() => broker.close())
  opened.defer(serveCliRequests({ storage, delivery, gate, clock, log }))
  opened.defer(startRetention({ retention: storage.retention, keepPaymentsDays, clock, log }))

  const refusals = createRefusals(log)
  const http = createHttpServer((request, env) => app.fetch(request, env), refusals, connections)
  const drain = createDrain(http, connections)
  serveMqttOverWebSocket(http, {
    broker,
    addressOf,
    refuse: (socket, requestId) => refusals.write(socket, 'NO_MQTT_HANDSHAKE', requestId),
  })

  const adminConnections = createConnections({ clock })
  const adminServer = createHttpServer(
    (request, env) => admin.fetch(request, env),
    refusals,
    adminConnections,
  )
  const drainAdmin = createDrain(adminServer, adminConnections)
  adminServer.on('upgrade', ({ headers }, socket) =>
    refusals.write(socket, 'ROUTE_NOT_FOUND', headers['x-request-id']),
  )

  const { httpHost, httpPort, mqttHost, mqttPort, tls, adminHost, adminPort } = config
  const open = async (server: Server, host: string, port: number, setting: string) => {
    deps.stopping?.throwIfAborted()
    const taken = await listen(server, host, port, setting)
    // Takes no new connection. Those that stand are closed by the broker.
    opened.defer(() => void server.close())
    return `${host.includes(':') ? `[${host}]` : host}:${taken}`
  }
  const mqttDeps = { broker, clock, trustsProxy }
  const addresses: Addresses = {
    admin: `http://${await open(adminServer, adminHost, adminPort, 'HUB_ADMIN_PORT')}`,
    mqtt:
      mqttPort === undefined
        ? undefined
        : `mqtt://${await open(createMqttServer(mqttDeps), mqttHost, mqttPort, 'HUB_MQTT_PORT')}`,
    mqtts:
      tls &&
      `mqtts://${await open(createMqttTlsServer(mqttDeps, tls), mqttHost, tls.port, 'HUB_MQTT_TLS_PORT')}`,
    http: `http://${await open(http, httpHost, httpPort, 'HUB_HTTP_PORT')}`,
  }
  folder.writeAddresses({ pid: process.pid, startedAt, ...addresses })
  phase = 'serving'

  return {
    ...addresses,
    async stop() {
      phase = 'draining'
      folder.removeAddresses()
      await drain(DRAIN_MS)
      await drainAdmin(DRAIN_ADMIN_MS)
      await opened.disposeAsync()
    },
  }
}
