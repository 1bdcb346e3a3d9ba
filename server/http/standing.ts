import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import type { HttpEnv } from './env.ts'

/** Longer ids are somebody else's payload, not an id. */
const REQUEST_ID_LENGTH = 128

/**
 * What every answer carries: its request's id, and the headers that keep browsers from guessing, framing, sharing
 * and storing it.
 *
 * Why there is no Strict-Transport-Security: the hub speaks plain HTTP, over which the header must not be sent (RFC
 * 6797, 7.2); whoever puts TLS before the hub decides it for the whole domain. And no Access-Control-* headers:
 * partners call from servers, so no web page of another origin may read an answer.
 * Held by test/server/http/standing.test.ts.
 */
export function standing(): MiddlewareHandler<HttpEnv>[] {
  return [
    requestId({ limitLength: REQUEST_ID_LENGTH }),
    secureHeaders({
      strictTransportSecurity: false,
      xFrameOptions: 'DENY',
      // These two mean nothing to an API's client, and browsers complain of them on plain HTTP.
      ...{ crossOriginOpenerPolicy: false, originAgentCluster: false },
      // Only browsers of the past know these.
      ...{ xDnsPrefetchControl: false, xDownloadOptions: false, xXssProtection: false },
    }),
    notStored,
  ]
}

/** Answers are about money and people, or about a moment: those that may be stored say so in place of this. */
const notStored = createMiddleware<HttpEnv>(async (c, next) => {
  c.header('Cache-Control', 'no-store')
  await next()
})
