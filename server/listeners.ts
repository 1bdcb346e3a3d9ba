import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import type { Core } from './core.ts'
import { type Connections, createConnections } from './http/connections.ts'
import { createDrain } from './http/drain.ts'
import { createRefusals } from './http/errors/before-http.ts'
import { createHttpServer } from './http/server.ts'
import type { Broker } from './mqtt/aedes.ts'
import { createMqttServer, createMqttTlsServer, serveMqttOverWebSocket } from './mqtt/listeners.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { listen } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'

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

export interface ListenerDeps extends Pick<Core, 'app' | 'admin'> {
  broker: Broker
  connections: Connections
  /** The address of a request's client. */
  addressOf: (incoming: IncomingMessage) => string
  clock: Clock
  log: Logger
  /** Throws before the next listener opens when the start was given up. */
  stopping: AbortSignal | undefined
}

/**
 * Opens the listeners: for partners, for speakers and for operators. `opened` closes them for new connections; the
 * broker closes those of speakers that stand.
 */
export async function openListeners(config: Config, deps: ListenerDeps, opened: AsyncDisposableStack) {
  const { app, admin, broker, connections, addressOf, clock, log, stopping } = deps
  const { trustsProxy, httpHost, httpPort, mqttHost, mqttPort, tls, adminHost, adminPort } = config

  const refusals = createRefusals(log)
  const http = createHttpServer((request, env) => app.fetch(request, env), refusals, connections)
  serveMqttOverWebSocket(http, {
    ...{ broker, addressOf },
    refuse: (socket, requestId) => refusals.write(socket, 'NO_MQTT_HANDSHAKE', requestId),
  })
  const forOperators = createConnections({ clock })
  const operators = createHttpServer((request, env) => admin.fetch(request, env), refusals, forOperators)
  operators.on('upgrade', ({ headers }, socket) =>
    refusals.write(socket, 'ROUTE_NOT_FOUND', headers['x-request-id']),
  )
  const drains = [
    { drain: createDrain(http, connections), ms: DRAIN_MS },
    { drain: createDrain(operators, forOperators), ms: DRAIN_ADMIN_MS },
  ]

  const open = async (
    scheme: string,
    server: Server,
    at: { host: string; port: number; setting: string },
  ) => {
    stopping?.throwIfAborted()
    const taken = await listen(server, at.host, at.port, at.setting)
    opened.defer(() => void server.close())
    return `${scheme}://${at.host.includes(':') ? `[${at.host}]` : at.host}:${taken}`
  }
  const forSpeakers = { broker, clock, trustsProxy }
  const plain = mqttPort !== undefined && { host: mqttHost, port: mqttPort, setting: 'HUB_MQTT_PORT' }
  const secure = tls && { host: mqttHost, port: tls.port, setting: 'HUB_MQTT_TLS_PORT' }
  const addresses: Addresses = {
    admin: await open('http', operators, { host: adminHost, port: adminPort, setting: 'HUB_ADMIN_PORT' }),
    mqtt: plain ? await open('mqtt', createMqttServer(forSpeakers), plain) : undefined,
    mqtts: secure && (await open('mqtts', createMqttTlsServer(forSpeakers, tls), secure)),
    http: await open('http', http, { host: httpHost, port: httpPort, setting: 'HUB_HTTP_PORT' }),
  }
  return {
    addresses,
    /** Takes no new request, and lets those under way finish. */
    async drain() {
      for (const { drain, ms } of drains) await drain(ms)
    },
  }
}
