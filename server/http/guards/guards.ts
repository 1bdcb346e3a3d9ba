import type { Context, MiddlewareHandler } from 'hono'
import type { Once } from '../../idempotency/once.ts'
import type { ErrorName } from '../../platform/errors.ts'
import type { ParameterName } from '../openapi/components.ts'
import type { HttpEnv } from '../response/env.ts'
import { type Authenticate, authenticated, checkClaim } from './authenticated.ts'
import { jsonBody, limitedBody } from './body.ts'
import type { Check } from './check.ts'
import { idempotent } from './idempotent.ts'
import { admitWithin, type RequestLimit } from './rate-limit.ts'

/** The checks before a handler, the errors that they can answer with, and what they read of a request. */
export interface Guard {
  checks: readonly Check[]
  /** Runs between the checks and the handler. */
  around?: MiddlewareHandler<HttpEnv>
  errors: readonly ErrorName[]
  parameters: readonly ParameterName[]
  security: Record<string, string[]>[]
}

interface Step {
  checks: readonly Check[]
  errors: readonly ErrorName[]
}

export type Guards = ReturnType<typeof createGuards>

/** The guards of the operations. The checks run in this order: token, rate limit, body size, media type. */
export function createGuards(deps: { authenticate: Authenticate; once: Once; requestLimit: RequestLimit }) {
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
  const rate: Step = { checks: [(c) => admit(c, c.get('clientId'))], errors: ['RATE_LIMITED'] }
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
  const anyoneWithBody: Guard = { ...inOrder(body), parameters: ['RequestId'], security: [] }
  const partnerOnce: Guard = {
    ...partnerWithBody,
    around: idempotent(deps.once),
    errors: [...partnerWithBody.errors, 'IDEMPOTENCY_KEY_REUSED'],
  }
  return {
    /** No token, a JSON body. */
    anyoneWithBody,
    /** A partner's token, no body. */
    partner: partner(rate),
    /** A partner's token and a JSON body. */
    partnerWithBody,
    /** As `partnerWithBody`; runs once for an Idempotency-Key. */
    partnerOnce,
    /** As `partnerWithBody`, without the rate limit: a callback reports money. */
    processor: partner(body),
    /** Rate limit and x-client-id of an operation that finds out by itself which partner calls. */
    admit(c: Context<HttpEnv>, clientId: string) {
      checkClaim(c, clientId)
      admit(c, clientId)
    },
  }
}

function inOrder(...steps: Step[]) {
  return {
    checks: steps.flatMap((step) => step.checks),
    errors: steps.flatMap((step) => step.errors),
  }
}
