import type { Context, MiddlewareHandler } from 'hono'
import type { Once } from '../../idempotency/once.ts'
import type { ErrorName } from '../../platform/errors.ts'
import type { ParameterName } from '../openapi/components.ts'
import type { HttpEnv } from '../response/env.ts'
import {
  type Authenticate,
  authenticated,
  type Check,
  checkClaim,
  fileBody,
  jsonBody,
  limitedBody,
  wholeBody,
} from './checks.ts'
import { idempotent } from './idempotent.ts'
import type { Limits } from './limits.ts'

/** The checks before a handler, the errors that they can answer with, and what they read of a request. */
export interface Guard {
  checks: readonly Check[]
  /** Runs between the checks and the handler. */
  around?: MiddlewareHandler<HttpEnv>
  errors: readonly ErrorName[]
  parameters: readonly ParameterName[]
  security: Record<string, string[]>[]
}

type Step = Pick<Guard, 'checks' | 'errors'>

export type Guards = ReturnType<typeof createGuards>

/** The guards of the operations. The checks run in this order: token, rate limit, body size, media type. */
export function createGuards(deps: { authenticate: Authenticate; once: Once; limits: Limits }) {
  const { limits } = deps
  const checkToken = authenticated(deps.authenticate, limits.known)
  const token: Step = {
    checks: [checkToken],
    errors: [
      'MISSING_CREDENTIALS',
      'INVALID_TOKEN',
      'TOKEN_EXPIRED',
      'CLIENT_ID_MISMATCH',
      'CLIENT_DISABLED',
    ],
  }
  const rate: Step = { checks: [limits.admit], errors: ['RATE_LIMITED'] }
  const rateOfRefusals: Step = { checks: [], errors: ['RATE_LIMITED'] }
  const body: Step = {
    checks: [limitedBody, jsonBody],
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'VALIDATION_FAILED'],
  }
  const file: Step = {
    checks: [fileBody],
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED'],
  }
  const partner = (...steps: Step[]): Guard => ({
    ...inOrder(token, ...steps),
    parameters: ['ClientId', 'RequestId'],
    security: [{ bearer: [] }],
  })
  const partnerWithBody = partner(rate, body)
  const anyoneWithBody: Guard = { ...inOrder(body), parameters: ['RequestId'], security: [] }
  const anyBody: Step = { checks: [wholeBody], errors: ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED'] }
  const onceFor = (guard: Guard): Guard => ({
    ...guard,
    around: idempotent(deps.once),
    errors: [...guard.errors, 'IDEMPOTENCY_KEY_REUSED'],
  })
  return {
    /** No token, a JSON body. */
    anyoneWithBody,
    /** A partner's token, no body. */
    partner: partner(rate),
    /** A partner's token and a JSON body. */
    partnerWithBody,
    /** A partner's token and a file. */
    partnerFile: partner(rate, file),
    /** As `partnerWithBody`; runs once for an Idempotency-Key. */
    partnerOnce: onceFor(partnerWithBody),
    /** As `partner`; runs once for an Idempotency-Key. */
    partnerOnceBare: onceFor(partner(rate, anyBody)),
    /** As `partnerWithBody`, but only refused requests count: a callback reports money. */
    processor: partner(rateOfRefusals, body),
    /** Checks x-client-id and the rate limit for an operation that authenticates its caller itself. */
    admit(c: Context<HttpEnv>, clientId: string) {
      checkClaim(c, clientId)
      limits.known(c, clientId)
      limits.admit(c)
    },
    /** Counts a request before the work of its refusal; throws RATE_LIMITED. */
    admitRefused: limits.admit,
    /** A request to a path outside the API: it needs no token, and one with a good token counts for its partner. */
    async anywhere(c: Context<HttpEnv>) {
      if (c.req.header('authorization') !== undefined) await checkToken(c)?.catch(() => undefined)
      limits.admit(c)
    },
    networkOf: limits.networkOf,
    isStopping: limits.isStopping,
    rests: limits.rests,
  }
}

function inOrder(...steps: Step[]) {
  return {
    checks: steps.flatMap((step) => step.checks),
    errors: steps.flatMap((step) => step.errors),
  }
}
