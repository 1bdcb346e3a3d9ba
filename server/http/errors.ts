import type { Context } from 'hono'
import { HubError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { HttpEnv } from './env.ts'
import { errorHeaders, publicError } from './error-map.ts'

/** Answers with an error as the interface writes it. */
export function respondWithError(c: Context<HttpEnv>, error: HubError): Response {
  const { status, code, error: name, message } = publicError(error.kind)
  const body = { code, error: name, message, requestId: c.var.requestId, details: error.details }
  return c.json(body, status, errorHeaders(error, status))
}

/** Maps what was thrown: the hub's own errors by name, everything else to a 500 that says nothing. */
export function onError(log: Logger) {
  return (thrown: unknown, c: Context<HttpEnv>): Response => {
    const error = thrown instanceof HubError ? thrown : new HubError('INTERNAL')
    if (error.kind === 'INTERNAL' || error.kind === 'UNAVAILABLE')
      log.error({ requestId: c.var.requestId, err: error.cause ?? thrown }, 'request failed')
    return respondWithError(c, error)
  }
}
