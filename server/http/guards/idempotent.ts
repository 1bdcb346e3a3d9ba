import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Ended, Once } from '../../idempotency/once.ts'
import { type ErrorName, fieldError, HubError } from '../../platform/errors.ts'
import { publicError } from '../errors/catalogue.ts'
import type { HttpEnv } from '../response/env.ts'

/** The syntax of Idempotency-Key. Quotes around it, as the IETF draft writes it, are part of the key. */
const KEY = /^[\x21-\x7e]{1,255}$/

/** The statuses of errors about content or state: the same request gets them again. */
const FINAL_STATUSES: readonly number[] = [400, 404, 409]
/**
 * Errors that do not use up the key. After the first two, the sender may correct the request under the same key. The
 * other two are temporary: nothing was shown or counted, and the device may be back.
 */
const NOT_FINAL: readonly ErrorName[] = [
  'MALFORMED_JSON',
  'VALIDATION_FAILED',
  'DEVICE_OFFLINE',
  'DEVICE_DISPLAY_FAILED',
  'WEBHOOK_REPLAY_UNDER_WAY',
]

/**
 * Runs a request with an Idempotency-Key once; a repeat gets the first response with `Idempotent-Replayed: true`.
 * Requires the checks of partner and body. Requests without a key pass.
 */
export function idempotent(once: Once) {
  return createMiddleware<HttpEnv>(async function runOnce(c, next) {
    const key = c.req.header('idempotency-key')
    if (key === undefined) return next()
    if (!KEY.test(key))
      throw fieldError('VALIDATION_FAILED', 'Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
    const { outcome, replayed } = await once(c.get('clientId'), key, await requestHash(c), async () => {
      await next()
      return ended(c)
    })
    if (!replayed) return
    c.header('Idempotent-Replayed', 'true')
    if (outcome.kind === 'refused') {
      const { error, details, retryAfterS } = outcome
      throw new HubError(error, { details, ...(retryAfterS !== undefined && { retryAfterS }) })
    }
    // This hub has answered with this status before.
    return c.body(outcome.body, outcome.status as ContentfulStatusCode, {
      'Content-Type': 'application/json',
    })
  })
}

async function requestHash(c: Context<HttpEnv>): Promise<Buffer> {
  const body = new Uint8Array(await c.req.arrayBuffer())
  return createHash('sha256').update(`${c.req.method} ${c.req.path}\0`).update(body).digest()
}

/** The request's outcome. The error handler has already run, so the error is in the context. */
async function ended(c: Context<HttpEnv>): Promise<Ended> {
  if (c.error === undefined) {
    const body = await c.res.clone().text()
    return { outcome: { kind: 'done', status: c.res.status, body }, final: true }
  }
  const { kind, details, retryAfterS } = c.error instanceof HubError ? c.error : new HubError('INTERNAL')
  const final = FINAL_STATUSES.includes(publicError(kind).status) && !NOT_FINAL.includes(kind)
  return { outcome: { kind: 'refused', error: kind, details, retryAfterS }, final }
}
