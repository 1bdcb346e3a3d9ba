import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Ended, Once } from '../../idempotency/once.ts'
import { type ErrorName, HubError } from '../../platform/errors.ts'
import { publicError } from '../errors/catalogue.ts'
import type { HttpEnv } from '../response/env.ts'

/** As the header Idempotency-Key may be; quotes around it, as the IETF draft writes it, are part of the key. */
const KEY = /^[\x21-\x7e]{1,255}$/

/** Refusals by content or state, which the same request would meet again. */
const FINAL_STATUSES: readonly number[] = [400, 404, 409]
/**
 * Refusals that leave the key free. The first two say that the request was not one yet: its sender corrects it, under
 * the same key if it likes. The others are of the moment: the device may be back, and nothing was shown or counted.
 */
const NOT_FINAL: readonly ErrorName[] = [
  'MALFORMED_JSON',
  'VALIDATION_FAILED',
  'DEVICE_OFFLINE',
  'DEVICE_DISPLAY_FAILED',
]

/**
 * Carries out a request that has an Idempotency-Key once; a repetition gets the first answer again, with the header
 * `Idempotent-Replayed: true`. Stands behind the guards of partner and body. Requests without a key pass.
 */
export function idempotent(once: Once) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined) return next()
    if (!KEY.test(key))
      throw new HubError('VALIDATION_FAILED', {
        details: [{ field: 'Idempotency-Key', issue: 'must be 1 to 255 visible ASCII characters' }],
      })
    const { outcome, replayed } = await once(c.var.clientId, key, await requestHash(c), async () => {
      await next()
      return ended(c)
    })
    if (!replayed) return
    c.header('Idempotent-Replayed', 'true')
    if (outcome.kind === 'refused') {
      const { error, details, retryAfterS } = outcome
      throw new HubError(error, { details, ...(retryAfterS !== undefined && { retryAfterS }) })
    }
    // A status that this hub has answered with.
    return c.body(outcome.body, outcome.status as ContentfulStatusCode, {
      'Content-Type': 'application/json',
    })
  })
}

async function requestHash(c: Context<HttpEnv>): Promise<Buffer> {
  const body = new Uint8Array(await c.req.arrayBuffer())
  return createHash('sha256').update(`${c.req.method} ${c.req.path}\0`).update(body).digest()
}

/** How the request ended; the error handler has run by now, so that an error is found and not caught. */
async function ended(c: Context<HttpEnv>): Promise<Ended> {
  if (c.error === undefined) {
    const body = await c.res.clone().text()
    return { outcome: { kind: 'done', status: c.res.status, body }, final: true }
  }
  const { kind, details, retryAfterS } = c.error instanceof HubError ? c.error : new HubError('INTERNAL')
  const final = FINAL_STATUSES.includes(publicError(kind).status) && !NOT_FINAL.includes(kind)
  return { outcome: { kind: 'refused', error: kind, details, retryAfterS }, final }
}
