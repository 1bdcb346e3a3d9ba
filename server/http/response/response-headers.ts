import { randomUUID } from 'node:crypto'
import type { Context, TypedResponse } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from './env.ts'

/** A request id that is accepted. A longer one carries somebody else's data. */
const REQUEST_ID = /^[\w=-]{1,128}$/

/**
 * Stops browsers from sniffing, framing and sharing responses.
 *
 * Why no Strict-Transport-Security: the hub speaks plain HTTP, over which the header must not be sent (RFC 6797, 7.2).
 * The TLS proxy in front of the hub decides it for the whole domain. Why no Access-Control-* headers: partners call from
 * servers, so no web page of another origin may read a response.
 * Held by test/server/http/response/response-headers.test.ts.
 */
const SECURITY = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
/** Responses are about money, people or a moment. Only a response that sets its own Cache-Control may be stored. */
const NO_STORE = 'no-store'
const COMPLETE = { 'Content-Type': 'application/json', ...SECURITY, 'Cache-Control': NO_STORE }

/** The caller's X-Request-Id when it is well-formed, else a new one. */
export function requestIdFor(received: string | string[] | undefined): string {
  return typeof received === 'string' && REQUEST_ID.test(received) ? received : randomUUID()
}

/** All headers of a JSON response. */
export const completeHeaders = (requestId: string) => ({ ...COMPLETE, 'X-Request-Id': requestId })

/**
 * Sets X-Request-Id and the security headers, and reports every response with its duration. One middleware for both,
 * because every callback passes each.
 */
export function responseHeaders(report: (c: Context<HttpEnv>, ms: number) => void) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const startedAt = performance.now()
    const id = requestIdFor(c.req.header('x-request-id'))
    c.set('requestId', id)
    await next()
    report(c, performance.now() - startedAt)
    if (c.get('isComplete')) return
    const { headers } = c.res
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE)
    for (const [name, value] of Object.entries(SECURITY)) if (!headers.has(name)) headers.set(name, value)
    headers.set('X-Request-Id', id)
  })
}

/**
 * Answers 200 with JSON and all common headers at once. Headers set by `c.header` are lost.
 *
 * Why: Hono keeps several headers in a Headers object, and the server reads them out again. On the path of a callback
 * that costs 10 µs of 60, more than parsing the body. A plain record passes through unchanged.
 * Held by test/server/http/response/response-headers.test.ts.
 */
export function completeJson<T>(c: Context<HttpEnv>, body: T, more: Record<string, string> = {}) {
  c.set('isComplete', true)
  const init = { status: 200, headers: { ...completeHeaders(c.get('requestId')), ...more } }
  // The type that `c.json(body, 200)` has.
  return new Response(JSON.stringify(body), init) as Response & TypedResponse<T, 200, 'json'>
}
