import { randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler, TypedResponse } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from './env.ts'

/** An id of a request that is taken over. Longer ones are somebody else's payload, not an id. */
const REQUEST_ID = /^[\w=-]{1,128}$/

/**
 * Every answer keeps browsers from guessing, framing and sharing it. And from storing it, unless it says so: answers
 * are about money and people, or about a moment.
 *
 * Why there is no Strict-Transport-Security: the hub speaks plain HTTP, over which the header must not be sent (RFC
 * 6797, 7.2); whoever puts TLS before the hub decides it for the whole domain. And no Access-Control-* headers:
 * partners call from servers, so no web page of another origin may read an answer.
 * Held by test/server/http/response-headers.test.ts.
 */
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
const UNLESS_SAID = { 'Cache-Control': 'no-store' }
const COMPLETE = { 'Content-Type': 'application/json', ...ALWAYS, ...UNLESS_SAID }

/** Is told of an answer, and how many milliseconds it took. */
export type Witness = (c: Context<HttpEnv>, ms: number) => void

/**
 * Gives every request an id, its own if it brings one, and every answer what all of them carry; tells of the answer.
 * One middleware for both, because every callback pays for each.
 */
export function standing(tell: Witness = () => undefined): MiddlewareHandler<HttpEnv> {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const startedAt = performance.now()
    const brought = c.req.header('x-request-id')
    const id = brought !== undefined && REQUEST_ID.test(brought) ? brought : randomUUID()
    c.set('requestId', id)
    await next()
    tell(c, performance.now() - startedAt)
    if (c.get('isComplete')) return
    const { headers } = c.res
    for (const [name, value] of Object.entries(UNLESS_SAID)) if (!headers.has(name)) headers.set(name, value)
    for (const [name, value] of Object.entries({ ...ALWAYS, 'X-Request-Id': id })) headers.set(name, value)
  })
}

/**
 * Answers 200 with JSON that carries all its headers already; what `c.header` has set is not among them.
 *
 * Why: with more headers than one, Hono's own answers keep them in a Headers object, which is filled, sorted and read
 * out again for each. On the path of a callback that costs more than to parse its body. A plain record goes through as
 * it is. Held by test/server/http/response-headers.test.ts.
 */
export function completeJson<T>(c: Context<HttpEnv>, body: T, more: Record<string, string> = {}) {
  c.set('isComplete', true)
  const init = { status: 200, headers: { ...COMPLETE, ...more, 'X-Request-Id': c.get('requestId') } }
  // What `c.json(body, 200)` says of itself.
  return new Response(JSON.stringify(body), init) as Response & TypedResponse<T, 200, 'json'>
}
