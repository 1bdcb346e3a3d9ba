import type { Context, MiddlewareHandler } from 'hono'
import type { ErrorName } from '../errors.ts'
import type { Once } from '../idempotency/once.ts'
import type { RequestLimit } from '../partners/request-limit.ts'
import { authenticated, checkClaim } from './authenticated.ts'
import { jsonBody, limitedBody } from './body.ts'
import { type Check, checked, inOrder } from './check.ts'
import type { HttpEnv } from './env.ts'
import { idempotent } from './idempotent.ts'
import { type Admit, admitWithin } from './rate-limit.ts'

/** What stands before a handler, and the errors that it answers with. */
export interface Guard {
  middleware: MiddlewareHandler<HttpEnv>[]
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
  /** As `partnerWithBody`, never rate-limited: money news is not refused. Its handler calls it first, by itself. */
  processorWithBody: { pass: (c: Context<HttpEnv>) => Promise<void>; errors: readonly ErrorName[] }
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
  return {
    anyoneWithBody: guard(body),
    partner: guard(who, howOften),
    partnerWithBody,
    partnerOnce: {
      middleware: [...partnerWithBody.middleware, idempotent(deps.once)],
      errors: [...partnerWithBody.errors, 'IDEMPOTENCY_KEY_REUSED'],
    },
    processorWithBody: { pass: inOrder(...checksOf([who, body])), errors: errorsOf([who, body]) },
    admit(c, clientId) {
      checkClaim(c, clientId)
      admit(c, clientId)
    },
  }
}

function guard(...steps: Step[]): Guard {
  return { middleware: [checked(...checksOf(steps))], errors: errorsOf(steps) }
}

const checksOf = (steps: readonly Step[]) => steps.flatMap((step) => step.checks)
const errorsOf = (steps: readonly Step[]) => steps.flatMap((step) => step.errors)
