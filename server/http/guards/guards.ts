import type { Context, MiddlewareHandler } from 'hono'
import type { Once } from '../../idempotency/once.ts'
import type { RequestLimit } from '../../partners/request-limit.ts'
import type { ErrorName } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'
import { authenticated, checkClaim } from './authenticated.ts'
import { jsonBody, limitedBody, readObject } from './body.ts'
import { type Check, checked, inOrder } from './check.ts'
import { idempotent } from './idempotent.ts'
import { type Admit, admitWithin } from './rate-limit.ts'

/** What stands before a handler, and the errors that it answers with. */
export interface Guard {
  middleware: MiddlewareHandler<HttpEnv>[]
  errors: readonly ErrorName[]
}

/**
 * A guard that its handler passes by itself, and that answers the body.
 *
 * Why: on the path of a callback a middleware more is felt, and so is to leave the body where validators look for it.
 */
export interface Entrance {
  enter(c: Context<HttpEnv>): Promise<object>
  errors: readonly ErrorName[]
}

/** A part of a guard. */
interface Step {
  checks: readonly Check[]
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
  /** As `partnerWithBody`, carried out once for an Idempotency-Key. */
  partnerOnce: Guard
  /** As `partnerWithBody`, never rate-limited: money news is not refused. */
  processor: Entrance
  /** For an operation that finds out only by itself which partner asks. */
  admit: Admit
}

export function createGuards(deps: {
  authenticate: (accessToken: string) => Promise<string>
  once: Once
  requestLimit: RequestLimit
}): Guards {
  const who: Step = {
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
  const howOften: Step = { checks: [(c) => admit(c, c.var.clientId)], errors: ['RATE_LIMITED'] }
  const body: Step = {
    checks: [limitedBody, jsonBody],
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'MALFORMED_JSON', 'VALIDATION_FAILED'],
  }
  const partnerWithBody = guard(who, howOften, body)
  const passProcessor = inOrder(...who.checks, limitedBody)
  return {
    anyoneWithBody: guard(body),
    partner: guard(who, howOften),
    partnerWithBody,
    partnerOnce: {
      middleware: [...partnerWithBody.middleware, idempotent(deps.once)],
      errors: [...partnerWithBody.errors, 'IDEMPOTENCY_KEY_REUSED'],
    },
    processor: {
      async enter(c) {
        await passProcessor(c)
        return readObject(c)
      },
      errors: errorsOf([who, body]),
    },
    admit(c, clientId) {
      checkClaim(c, clientId)
      admit(c, clientId)
    },
  }
}

function guard(...steps: Step[]): Guard {
  return { middleware: [checked(...steps.flatMap((step) => step.checks))], errors: errorsOf(steps) }
}

const errorsOf = (steps: readonly Step[]) => steps.flatMap((step) => step.errors)
