import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { type ErrorName, HubError } from '../../platform/errors.ts'
import type { createFaultLog } from '../../platform/fault-log.ts'
import type { Logger } from '../../platform/log.ts'
import type { HttpEnv } from '../response/env.ts'
import { errorBody, errorHeaders, publicError } from './catalogue.ts'

/** Answers with an error in the interface's shape. */
export function respondWithError(c: Context<HttpEnv>, error: HubError): Response {
  const { status, code, error: name } = publicError(error.kind)
  c.set('refusal', { code, error: name })
  return c.json(errorBody(error, c.get('requestId')), status, errorHeaders(error, status))
}

/** The hub's error for a status that a library throws; a status that is not listed is a bug of the hub. */
const BY_STATUS: Partial<Record<number, ErrorName>> = {
  400: 'MALFORMED_JSON',
  401: 'INVALID_TOKEN',
  404: 'ROUTE_NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  503: 'UNAVAILABLE',
}

/**
 * Maps the hub's errors by name and a library's by status. Any other is a 500 that reveals nothing. `storageRefused` logs
 * why the storage refuses. `judge` may replace the error.
 */
export function onError(
  log: Logger,
  storageRefused: ReturnType<typeof createFaultLog>,
  judge: (c: Context<HttpEnv>, error: HubError) => HubError = (_c, error) => error,
) {
  return function answerError(thrown: unknown, c: Context<HttpEnv>): Response {
    const error = judge(c, toHubError(thrown))
    const request = { requestId: c.get('requestId') }
    if (error.kind === 'INTERNAL') log.error({ ...request, err: error.cause ?? thrown }, 'request failed')
    // One without a cause is of the circuit, which is logged by the sweep.
    if (error.kind === 'UNAVAILABLE' && error.cause !== undefined) storageRefused(error.cause, request)
    return respondWithError(c, error)
  }
}

function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown
  const kind = thrown instanceof HTTPException ? BY_STATUS[thrown.status] : undefined
  return new HubError(kind ?? 'INTERNAL')
}
