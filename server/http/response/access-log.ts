import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { Logger } from '../../platform/log.ts'
import type { AddressOf, HttpEnv } from './env.ts'

/**
 * Counts one response; `route` is the route's pattern, never the requested path, and `code` that of the error with which
 * it was refused.
 */
export type CountRequest = (method: string, route: string, status: number, ms: number, code?: number) => void

/** The codes of a refused callback that means lost money until somebody acts: wrong checksum, unknown till, conflict. */
export const REFUSED_MONEY = { route: '/api/v1/partner/payment/callback', codes: [40014, 40016, 40018] }

/** A balancer and Prometheus ask them some 40,000 times a day: answers without an error are logged at debug. */
const PROBES: readonly string[] = ['/healthz', '/readyz', '/metrics']

/** Longer than any valid serial or code of a transaction. */
const MOST_LOGGED = 64

/** Logs and counts a response, with its duration. */
export function accessLog(log: Logger, count: CountRequest, addressOf: AddressOf) {
  // Redaction costs six times as much as writing the line, and no field of this line is secret.
  const lines = log.child({}, { redact: [] })
  return (c: Context<HttpEnv>, ms: number) => {
    const { method } = c.req
    const { status } = c.res
    // The last handler that ran.
    const route = routePath(c)
    const refusal = c.get('refusal')
    count(method, route, status, ms, refusal?.code)
    const level = levelOf(status, route, refusal?.code)
    if (!lines.isLevelEnabled(level)) return
    const clientId: string | undefined = c.get('clientId')
    const who = { requestId: c.get('requestId'), partner: clientId, address: addressOf(c) }
    lines[level]({ ...who, method, route, status, ...refusal, ...subject(c), ms: Math.round(ms) }, 'request')
  }
}

function levelOf(status: number, route: string, code: number | undefined) {
  if (status >= 500) return 'error'
  if (status < 400 && PROBES.includes(route)) return 'debug'
  const isMoney = code !== undefined && route === REFUSED_MONEY.route && REFUSED_MONEY.codes.includes(code)
  return isMoney ? 'warn' : 'info'
}

/** The transaction, device or webhook that a request names in its path or body, valid or not. */
function subject(c: Context<HttpEnv>) {
  const params = c.req.param() as { ftCode?: string; serial?: string; id?: string }
  const body: { ftCode?: unknown; deviceSerial?: unknown } = c.get('body') ?? {}
  return {
    ftCode: short(params.ftCode ?? body.ftCode),
    serial: short(params.serial ?? body.deviceSerial),
    webhook: short(params.id),
  }
}

function short(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MOST_LOGGED) : undefined
}
