import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import mqttPacket from 'mqtt-packet'

const LOOK_EVERY_MS = 500
const LOOK_TIMEOUT_MS = 1_000
/** A hub that has failed so many checks is down. One good check brings it back. */
const FALL = 3

/** A hub behind the balancer. */
export interface BalancedHub {
  /** The addresses for partners and for speakers. */
  http: string
  mqtt: string
  /** The address that says whether the process answers. Default: /healthz of `http`. */
  health?: string
}

/** A balancer for the speakers and partners of several hubs. */
export interface Balancer {
  /** The address for speakers. */
  url: string
  /** The number of hubs that are up. */
  up(): number
  /** Whether a hub passed its last check for partners, /readyz. Hubs have the order of `openBalancer`. */
  isReady(hub: number): boolean
  /** The address for the next request of a partner: the ready hubs in turn, or all when none is ready. */
  nextHttp(): string
  /** The hub to which a speaker is connected, by the client id of its CONNECT. Undefined when it is not connected. */
  hubOf(clientId: string): number | undefined
  close(): void
}

interface Server {
  hub: number
  http: string
  health: string
  host: string
  port: number
  failures: number
  isReady: boolean
  clients: Set<Socket>
}

/**
 * Forwards each connection to the next hub that answers /healthz, and cuts the connections of a hub that is down, as
 * docs/scale.md wants it.
 */
export async function openBalancer(hubs: readonly BalancedHub[]): Promise<Balancer> {
  const servers = hubs.map(serverOf)
  /** The connection of each client id that has sent its CONNECT. */
  const named = new Map<string, { client: Socket; hub: number }>()
  const ended = new AbortController()
  let turn = 0
  let httpTurn = 0
  const upServers = () => servers.filter(({ failures }) => failures < FALL)

  function forward(client: Socket) {
    const up = upServers()
    turn += 1
    connectTo(up.map((_, index) => up[(turn + index) % up.length]).filter((one) => one !== undefined))

    /** Connects to the first of these that takes the connection. */
    function connectTo([server, ...others]: Server[]) {
      if (!server) {
        client.destroy()
        return
      }
      const toHub = connect({ host: server.host, port: server.port, noDelay: true })
      const redispatch = () => connectTo(others)
      toHub.once('error', redispatch)
      toHub.once('connect', () => {
        toHub.off('error', redispatch)
        if (client.destroyed) toHub.destroy()
        else {
          nameOf(client, (clientId) => void named.set(clientId, { client, hub: server.hub }))
          join(client, toHub, server.clients)
        }
      })
    }
  }

  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    client.on('error', () => undefined)
    forward(client)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  for (const server of servers) {
    void watch(server, ended.signal)
    void watchReady(server, ended.signal)
  }
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  return {
    url: `mqtt://127.0.0.1:${address.port}`,
    up: () => upServers().length,
    isReady: (hub) => servers[hub]?.isReady === true,
    nextHttp() {
      const ready = servers.filter(({ isReady }) => isReady)
      const candidates = ready.length > 0 ? ready : servers
      httpTurn += 1
      return candidates[httpTurn % candidates.length]?.http ?? ''
    },
    hubOf(clientId) {
      const found = named.get(clientId)
      return found === undefined || found.client.destroyed ? undefined : found.hub
    },
    close() {
      ended.abort()
      listener.close()
      for (const server of servers) cut(server)
    },
  }
}

function serverOf({ http, mqtt, health = `${http}/healthz` }: BalancedHub, hub: number): Server {
  const { hostname: host, port } = new URL(mqtt)
  const state = { failures: 0, isReady: true, clients: new Set<Socket>() }
  return { hub, http, health, host, port: Number(port), ...state }
}

/** Reads the client id from the CONNECT, the first packet of a connection. */
function nameOf(client: Socket, found: (clientId: string) => void) {
  const parser = mqttPacket.parser()
  const read = (bytes: Buffer) => void parser.parse(bytes)
  parser.on('packet', (packet) => {
    client.off('data', read)
    if (packet.cmd === 'connect') found(packet.clientId)
  })
  // A hub judges what is no MQTT.
  parser.on('error', () => client.off('data', read))
  client.on('data', read)
}

function join(client: Socket, toHub: Socket, clients: Set<Socket>) {
  toHub.on('error', () => undefined)
  toHub.on('close', () => client.destroy())
  client.on('close', () => {
    clients.delete(client)
    toHub.destroy()
  })
  clients.add(client)
  client.pipe(toHub)
  toHub.pipe(client)
}

async function watch(server: Server, signal: AbortSignal) {
  while (!signal.aborted) {
    server.failures = (await isHealthy(server.health)) ? 0 : server.failures + 1
    if (server.failures === FALL) cut(server)
    await sleep(LOOK_EVERY_MS)
  }
}

async function watchReady(server: Server, signal: AbortSignal) {
  while (!signal.aborted) {
    server.isReady = await isHealthy(`${server.http}/readyz`)
    await sleep(LOOK_EVERY_MS)
  }
}

async function isHealthy(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) })).ok
  } catch {
    return false
  }
}

function cut({ clients }: Server) {
  for (const client of clients) client.destroy()
}
