import { type Pids, usageOf, usedBetween } from '../process.ts'
import { type HttpLine, openHttpLine } from './http-line.ts'

/** Connections of a load that names none. */
export const CONNECTIONS = 64
/** Requests that are prepared before the measurement: per second of load, and at most. */
const WRITTEN_PER_SECOND = 50_000
const WRITTEN_AT_MOST = 150_000

export interface Load {
  perSecond: number
  /** CPU time of the server in microseconds. Undefined if the system does not report it. */
  cpuPerRequest: number | undefined
}

export interface TimedLoad extends Load {
  /** When the first request was sent, by `performance.now()`. */
  startedAt: number
}

export interface Target {
  url: string
  /** Other servers that take the same requests. Connections go to all of them in turn. */
  alsoAt?: readonly string[]
  /** The servers' processes. */
  pids: Pids
  headers: Record<string, string>
  /** Called for each request. */
  body: () => string
}

/**
 * Sends requests as fast as the server answers, over so many connections, for a number of seconds or requests. Rejects if
 * any answer is not 200, because the figures would be invalid.
 *
 * Why not a library: the load generator and the server share the processor, so the generator's CPU reduces the measured
 * speed. With autocannon a request took more CPU than the bare echo needs to answer it.
 */
export async function load(
  target: Target,
  until: { duration: number } | { amount: number },
  connections = CONNECTIONS,
): Promise<TimedLoad> {
  const isCounted = 'amount' in until
  const planned = isCounted ? until.amount : until.duration * WRITTEN_PER_SECOND
  const next = createRequests(target, Math.min(planned, WRITTEN_AT_MOST))
  const lines = await openLines(target, connections)
  const before = usageOf(target.pids)
  const startedAt = performance.now()
  const endsAt = isCounted ? Number.POSITIVE_INFINITY : startedAt + until.duration * 1000
  const mostAsked = isCounted ? until.amount : Number.POSITIVE_INFINITY
  let asked = 0

  async function keepAsking(line: HttpLine) {
    while (asked < mostAsked && performance.now() < endsAt) {
      asked += 1
      await line.ask(next())
    }
  }

  try {
    await Promise.all(lines.map(keepAsking))
    const tookMs = performance.now() - startedAt
    const used = usedBetween(before, usageOf(target.pids))
    return {
      startedAt,
      perSecond: (asked * 1000) / tookMs,
      cpuPerRequest: used && (used.cpuMs * 1000) / asked,
    }
  } finally {
    for (const line of lines) line.close()
  }
}

/** Opens so many connections to the servers of a target. */
export function openLines({ url, alsoAt = [] }: Target, connections: number): Promise<HttpLine[]> {
  const urls = [url, ...alsoAt]
  return Promise.all(
    Array.from({ length: connections }, (_, index) => openHttpLine(urls[index % urls.length] ?? url)),
  )
}

/** Complete requests. The first `count` are prepared in advance. */
export function createRequests({ url, headers, body }: Target, count: number): () => Buffer {
  const { host, pathname } = new URL(url)
  const named = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${pathname} HTTP/1.1\r\n${named.join('')}Content-Length: `
  const write = () => {
    const said = body()
    return Buffer.from(`${head}${Buffer.byteLength(said)}\r\n\r\n${said}`)
  }
  const written = Array.from({ length: count }, write)
  let taken = 0
  return () => {
    taken += 1
    return written[taken - 1] ?? write()
  }
}
