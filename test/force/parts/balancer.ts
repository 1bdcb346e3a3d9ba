import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnHub } from '../../support/processes/own-hub.ts'

const LOOK_EVERY_MS = 500
const LOOK_TIMEOUT_MS = 1_000
/** A hub that has failed so many checks is down. One good check brings it back. */
const FALL = 3

/** A balancer for the speakers of several hubs. */
export interface Balancer {
  /** The address for speakers. */
  url: string
  /** The number of hubs that are up. */
  up(): number
  close(): void
}

interface Server {
  health: string
  host: string
  port: number
  failures: number
  clients: Set<Socket>
}

/**
 * Forwards each connection to the next hub that answers /healthz, and cuts the connections of a hub that is down, as
 * docs/scale.md wants it.
 */
export async function openBalancer(hubs: readonly Pick<OwnHub, 'http' | 'mqtt'>[]): Promise<Balancer> {
  const servers = hubs.map(serverOf)
  const ended = new AbortController()
  let turn = 0
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
        else join(client, toHub, server.clients)
      })
    }
  }

  const listener = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
    client.on('error', () => undefined)
    forward(client)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  for (const server of servers) void watch(server, ended.signal)
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  return {
    url: `mqtt://127.0.0.1:${address.port}`,
    up: () => upServers().length,
    close() {
      ended.abort()
      listener.close()
      for (const server of servers) cut(server)
    },
  }
}

function serverOf({ http, mqtt }: Pick<OwnHub, 'http' | 'mqtt'>): Server {
  const { hostname, port } = new URL(mqtt)
  return { health: `${http}/healthz`, host: hostname, port: Number(port), failures: 0, clients: new Set() }
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
    server.failures = (await isWell(server)) ? 0 : server.failures + 1
    if (server.failures === FALL) cut(server)
    await sleep(LOOK_EVERY_MS)
  }
}

async function isWell({ health }: Server): Promise<boolean> {
  try {
    return (await fetch(health, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) })).ok
  } catch {
    return false
  }
}

function cut({ clients }: Server) {
  for (const client of clients) client.destroy()
}
