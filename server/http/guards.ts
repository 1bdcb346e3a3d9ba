import type { MiddlewareHandler } from 'hono'
import type { Clock } from '../clock.ts'
import type { ErrorName } from '../errors.ts'
import { authenticated } from './authenticated.ts'
import { jsonBody, limitedBody } from './body.ts'
import type { HttpEnv } from './env.ts'
import { rateLimited } from './rate-limit.ts'

/** What stands before a handler, and the errors that it answers with. */
export interface Guard {
  middleware: MiddlewareHandler<HttpEnv>[]
  errors: readonly ErrorName[]
}

/** The guards of the operations, each in the order of its checks: who, how often, how large, of what type. */
export interface Guards {
  /** A JSON body from anybody. */
  anyoneWithBody: Guard
  /** A partner, without a body. */
  partner: Guard
  /** A partner with a JSON body. */
  partnerWithBody: Guard
  /** As `partnerWithBody`, never rate-limited. */
  processorWithBody: Guard
}

export function createGuards(authenticate: (accessToken: string) => Promise<string>, clock: Clock): Guards {
  const who: Guard = {
    middleware: [authenticated(authenticate)],
    errors: [
      'MISSING_CREDENTIALS',
      'INVALID_TOKEN',
      'TOKEN_EXPIRED',
      'CLIENT_ID_MISMATCH',
      'CLIENT_DISABLED',
    ],
  }
  const howOften: Guard = { middleware: [rateLimited(clock)], errors: ['RATE_LIMITED'] }
  const body: Guard = {
    middleware: [limitedBody, jsonBody],
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'VALIDATION_FAILED'],
  }
  return {
    anyoneWithBody: body,
    partner: chain(who, howOften),
    partnerWithBody: chain(who, howOften, body),
    processorWithBody: chain(who, body),
  }
}

function chain(...guards: Guard[]): Guard {
  return {
    middleware: guards.flatMap((guard) => guard.middleware),
    errors: guards.flatMap((guard) => guard.errors),
  }
}
