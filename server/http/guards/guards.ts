import type { MiddlewareHandler } from 'hono'
import type { Once } from '../../idempotency/once.ts'
import type { ErrorName } from '../../platform/errors.ts'
import type { ParameterName } from '../openapi/components.ts'
import type { HttpEnv } from '../response/env.ts'
import { type Authenticate, authenticated, checkClaim } from './authenticated.ts'
import { jsonBody, limitedBody } from './body.ts'
import { type Check, checked } from './check.ts'
import { idempotent } from './idempotent.ts'
import { type Admit, admitWithin, type RequestLimit } from './rate-limit.ts'

/** The middlewares before a handler, the errors that they can answer with, and what they read of a request. */
export interface Guard {
  middleware: MiddlewareHandler<HttpEnv>[]
  errors: readonly ErrorName[]
  parameters: readonly ParameterName[]
  security: Record<string, string[]>[]
}

interface Step {
  checks: readonly Check[]
  errors: readonly ErrorName[]
}

/** The guards of the operations. The checks run in this order: token, rate limit, body size, media type. */
export interface Guards {
  /** No token, a JSON body. */
  anyoneWithBody: Guard
  /** A partner's token, no body. */
  partner: Guard
  /** A partner's token and a JSON body. */
  partnerWithBody: Guard
  /** As `partnerWithBody`; runs once for an Idempotency-Key. */
  partnerOnce: Guard
  /** As `partnerWithBody`, without the rate limit: a callback reports money. */
  processor: Guard
  /** Rate limit and x-client-id of an operation that finds out by itself which partner calls. */
  admit: Admit
}

export function createGuards(deps: {
  authenticate: Authenticate
  once: Once
  requestLimit: RequestLimit
}): Guards {
  const token: Step = {
    checks: [authenticated(deps.authenticate)],
    errors: [
      'MISSING_CREDENTIALS',
      'INVALID_TOKEN',
      'TOKEN_EXPIRED',
      'CLIENT_ID_MISMATCH',
      'CLIENT_DISABLED',
    ],
  }
  const admit = admitWithin(deps.requestLimit)
  const rate: Step = { checks: [(c) => admit(c, c.var.clientId)], errors: ['RATE_LIMITED'] }
  const body: Step = {
    checks: [limitedBody, jsonBody],
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'VALIDATION_FAILED'],
  }
  const partner = (...steps: Step[]): Guard => ({
    ...inOrder(token, ...steps),
    parameters: ['ClientId', 'RequestId'],
    security: [{ bearer: [] }],
  })
  const partnerWithBody = partner(rate, body)
  return {
    anyoneWithBody: { ...inOrder(body), parameters: ['RequestId'], security: [] },
    partner: partner(rate),
    partnerWithBody,
    partnerOnce: {
      ...partnerWithBody,
      middleware: [...partnerWithBody.middleware, idempotent(deps.once)],
      errors: [...partnerWithBody.errors, 'IDEMPOTENCY_KEY_REUSED'],
    },
    processor: partner(body),
    admit(c, clientId) {
      checkClaim(c, clientId)
      admit(c, clientId)
    },
  }
}

function inOrder(...steps: Step[]) {
  return {
    middleware: [checked(...steps.flatMap((step) => step.checks))],
    errors: steps.flatMap((step) => step.errors),
  }
}
