import autocannon from 'autocannon'
import { cpuMs } from './process.ts'

const CONNECTIONS = 64
/** How often autocannon looks whether it is done: by itself it would end at whole seconds alone. */
const LOOK_EVERY_MS = 20

export interface Load {
  perSecond: number
  /** CPU time of the server, in microseconds; undefined where the system does not tell it. */
  cpuPerRequest: number | undefined
}

export interface Target {
  url: string
  /** The server's process. */
  pid: number | undefined
  headers: Record<string, string>
  /** Asked for each request. */
  body: () => string
}

/** As fast as the server answers, over 64 connections, for a time or for a number of requests. */
export async function load(target: Target, until: { duration: number } | { amount: number }): Promise<Load> {
  const { url, pid, headers, body } = target
  const before = cpuMs(pid)
  const startedAt = performance.now()
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    sampleInt: LOOK_EVERY_MS,
    ...until,
    requests: [{ method: 'POST', headers, setupRequest: (request) => ({ ...request, body: body() }) }],
  })
  const tookMs = performance.now() - startedAt
  const after = cpuMs(pid)
  // A single other answer makes the figures worthless.
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed`)
  const usedMs = before === undefined || after === undefined ? undefined : after - before
  return {
    perSecond: (result['2xx'] * 1000) / tookMs,
    cpuPerRequest: usedMs && (usedMs * 1000) / result['2xx'],
  }
}
