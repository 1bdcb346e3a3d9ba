import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import type { createAdminApp } from './app/app.ts'
import type { Core } from './core.ts'
import { Connections } from './http/connections/connections.ts'
import { drain } from './http/drain.ts'
import { createRefusals } from './http/errors/before-http.ts'
import { createHttpServer, type Fetch } from './http/server.ts'
import type { Broker } from './mqtt/aedes.ts'
import { createMqttServer, createMqttTlsServer, serveMqttOverWebSocket } from './mqtt/listeners.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { listen } from './platform/listen.ts'
import type { Logger } from './platform/log.ts'
import { isSafeHost } from './platform/net/host.ts'

/** Requests under way at shutdown get this long to finish. */
const DRAIN_MS = 10_000
/** A port that another program has taken meanwhile may be free again. */
const OPEN_AGAIN_MS = 1_000
/** How long a reader of the figures may take at shutdown. */
const DRAIN_ADMIN_MS = 1_000

/** Where a hub serves. Undefined: that listener is switched off. */
export interface Addresses {
  http: string
  mqtt: string | undefined
  mqtts: string | undefined
  /** For boxes of other makers. */
  box: string | undefined
  boxTls: string | undefined
  admin: string
}

interface OwnDeps {
  clock: Clock
  log: Logger
  /** Throws before the next listener opens when the start was given up. */
  stopping: AbortSignal | undefined
}

export interface ListenerDeps extends OwnDeps, Pick<Core, 'app'> {
  broker: Broker
  connections: Connections
  /** The address of a request's client. */
  addressOf: (incoming: IncomingMessage) => string
}

interface AdminDeps extends OwnDeps {
  admin: ReturnType<typeof createAdminApp>
  /** Loads the console, for every path that `admin` does not have. Undefined: there is none. */
  loadConsole: (() => Promise<{ fetch: Fetch }>) | undefined
}

/** Opens the listener for operators. `opened` closes it for new connections. */
export async function openAdminListener(
  { adminHost, adminPort, adminNames }: Config,
  { admin, loadConsole, clock, log, stopping }: AdminDeps,
  opened: AsyncDisposableStack,
) {
  const refusals = createRefusals(log)
  const connections = new Connections({ clock })
  const figures = new Set(admin.routes.map(({ path }) => path))
  async function ask(load: NonNullable<typeof loadConsole>, ...asked: Parameters<Fetch>) {
    try {
      const pages = await load()
      return await pages.fetch(...asked)
    } catch (error) {
      log.error({ err: error }, 'the console can not be loaded')
      return refusals.response('INTERNAL', asked[1].incoming.headers['x-request-id'])
    }
  }
  // A browser that a page of another site has led here (DNS rebinding) names that site. Only HTTP/1.0 names no host.
  const answer: Fetch = (request, env) => {
    const { host, 'x-request-id': id } = env.incoming.headers
    if (host !== undefined && !isSafeHost(host, adminNames)) return refusals.response('WRONG_HOST', id)
    const isPage = loadConsole && !figures.has(new URL(request.url).pathname)
    return isPage ? ask(loadConsole, request, env) : admin.fetch(request, env)
  }
  const server = createHttpServer(answer, { refusals, connections, clock })
  server.on('upgrade', ({ headers }, socket) =>
    refusals.write(socket, 'ROUTE_NOT_FOUND', headers['x-request-id']),
  )
  const at = { host: adminHost, port: adminPort, setting: 'HUB_ADMIN_PORT' }
  return {
    addresses: { admin: await open('http', server, at, stopping, opened) },
    /** Takes no new request, and lets those under way finish. */
    drain: () => drain(server, connections, DRAIN_ADMIN_MS),
  }
}

/**
 * Opens the listeners for partners and for speakers. `opened` closes them for new connections; the broker closes those
 * of speakers that stand.
 */
export async function openListeners(config: Config, deps: ListenerDeps, opened: AsyncDisposableStack) {
  const { app, broker, connections, addressOf, clock, log, stopping } = deps
  const { trustsProxy, httpHost, httpPort, mqttHost, mqttPort, mqttOrigins, tls, boxes } = config

  const refusals = createRefusals(log)
  const http = createHttpServer(app.fetch, { refusals, connections, clock })
  serveMqttOverWebSocket(http, {
    ...{ broker, addressOf, origins: mqttOrigins },
    refuse: (socket, requestId) => refusals.write(socket, 'NO_MQTT_HANDSHAKE', requestId),
  })
  const openOne = (scheme: string, server: Server, at: Place) => open(scheme, server, at, stopping, opened)
  const speakers: { server: Server; host: string; port: number }[] = []
  const openSpeakers = async (scheme: string, server: Server, at: Place) => {
    const address = await openOne(scheme, server, at)
    speakers.push({ server, host: at.host, port: Number(new URL(address).port) })
    return address
  }
  const openAgain = ({ server, host, port }: (typeof speakers)[number]) => {
    if (server.listening || isRefusing) return
    listen(server, host, port, 'HUB_MQTT_PORT').catch((error: unknown) => {
      log.error({ err: error }, 'speakers can not be taken yet')
      clock.after(OPEN_AGAIN_MS, () => openAgain({ server, host, port }))
    })
  }
  let isRefusing = false
  const forSpeakers = { broker, clock, trustsProxy }
  const forBoxes = { ...forSpeakers, door: 'boxes', mayCome: boxes.from } as const
  const plain = mqttPort !== undefined && { host: mqttHost, port: mqttPort, setting: 'HUB_MQTT_PORT' }
  const secure = tls && { host: mqttHost, port: tls.port, setting: 'HUB_MQTT_TLS_PORT' }
  const addresses = {
    mqtt: plain ? await openSpeakers('mqtt', createMqttServer(forSpeakers), plain) : undefined,
    mqtts: secure && (await openSpeakers('mqtts', createMqttTlsServer(forSpeakers, tls), secure)),
    box:
      boxes.port === undefined
        ? undefined
        : await openSpeakers('mqtt', createMqttServer(forBoxes), {
            ...{ host: boxes.host, port: boxes.port, setting: 'HUB_BOX_PORT' },
          }),
    boxTls:
      boxes.tlsPort !== undefined && tls
        ? await openSpeakers('mqtts', createMqttTlsServer(forBoxes, tls), {
            ...{ host: boxes.host, port: boxes.tlsPort, setting: 'HUB_BOX_TLS_PORT' },
          })
        : undefined,
    http: await openOne('http', http, { host: httpHost, port: httpPort, setting: 'HUB_HTTP_PORT' }),
  }
  return {
    addresses,
    /** Takes no new request, and lets those under way finish. */
    drain: () => drain(http, connections, DRAIN_MS),
    /** Takes no new connection of a speaker over TCP or TLS. */
    refuseSpeakers() {
      isRefusing = true
      for (const { server } of speakers) server.close()
    },
    /** Takes them again, at the same addresses. */
    takeSpeakers() {
      isRefusing = false
      speakers.forEach(openAgain)
    },
  }
}

interface Place {
  host: string
  port: number
  setting: string
}

async function open(
  scheme: string,
  server: Server,
  { host, port, setting }: Place,
  stopping: AbortSignal | undefined,
  opened: AsyncDisposableStack,
): Promise<string> {
  stopping?.throwIfAborted()
  const taken = await listen(server, host, port, setting)
  opened.defer(() => void server.close())
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken}`
}
