import type { Server } from 'node:net'
import { createCore } from './core.ts'
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
import { lockForOneHub } from './storage/sqlite/file/hub-lock.ts'
import { type OpenStorage, openFolder } from './storage/sqlite/file/open-folder.ts'

/** Requests under way at shutdown get this long to finish. */
const DRAIN_MS = 10_000

/** A hub that serves. */
export interface RunningHub {
  http: string
  mqtt: string
  mqtts: string | undefined
  /** Takes nothing new, lets what is under way finish, and closes everything in reverse. */
  stop(): Promise<void>
}

export interface HubDeps {
  clock: Clock
  ids: Ids
  log: Logger
  openStorage: OpenStorage
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
  const folder = openDataFolder(config.dataDir)
  opened.defer(lockForOneHub(folder.lockFile))
  const metrics = createMetrics(clock)
  metrics.watchProcess()
  const { storage, vault, scrubbed } = await openFolder(
    { folder, masterKey: config.masterKey, ids, clock, rules: hubRules(ids), observe: metrics.storage },
    deps.openStorage,
  )
  opened.defer(() => storage.close())
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
  const { delivery, gate, app } = createCore({
    ...{ storage, vault, clock, ids, log, metrics, readiness },
    ...{ rate: config.rate, anonymousRate: config.anonymousRate, trustsProxy: config.trustsProxy },
    diskFreeBytes: () => freeBytes(config.dataDir),
  })
  opened.defer(delivery.start())
  const { connectsPerSecond, keepPaymentsDays, trustsProxy } = config
  const broker = await createBroker({ gate, clock, metrics, connectsPerSecond, log })
  opened.defer(() => broker.close())
  opened.defer(serveCliRequests({ storage, delivery, gate, clock, log }))
  opened.defer(startRetention({ retention: storage.retention, keepPaymentsDays, clock, log }))

  const refusals = createRefusals(log)
  const http = createHttpServer((request, env) => app.fetch(request, env), refusals)
  const drain = createDrain(http)
  const listeners = { broker, clock, trustsProxy }
  serveMqttOverWebSocket(http, {
    broker,
    addressOf: (request) => requestAddress(request, trustsProxy),
    refuse: (socket, requestId) => refusals.write(socket, 'NO_MQTT_HANDSHAKE', requestId),
  })

  const open = async (server: Server, port: number, setting: string) => {
    const taken = await listen(server, config.host, port, setting)
    // Takes no new connection. Those that stand are closed by the broker.
    opened.defer(() => void server.close())
    return `${urlHost(config.host)}:${taken}`
  }
  const mqtt = `mqtt://${await open(createMqttServer(listeners), config.mqttPort, 'HUB_MQTT_PORT')}`
  const mqtts = config.tls
    ? `mqtts://${await open(createMqttTlsServer(listeners, config.tls), config.tls.port, 'HUB_MQTT_TLS_PORT')}`
    : undefined
  const running = { http: `http://${await open(http, config.httpPort, 'HUB_HTTP_PORT')}`, mqtt, mqtts }
  folder.writeAddresses({ pid: process.pid, http: running.http, mqtt, ...(mqtts !== undefined && { mqtts }) })
  phase = 'serving'

  return {
    ...running,
    async stop() {
      phase = 'draining'
      folder.removeAddresses()
      await drain(DRAIN_MS)
      await opened.disposeAsync()
    },
  }
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
