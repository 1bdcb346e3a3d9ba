import type { MiddlewareHandler } from 'hono'
import type { Clock } from '../clock.ts'
import { authenticated } from './authenticated.ts'
import { jsonBody, limitedBody } from './body.ts'
import type { HttpEnv } from './env.ts'
import { rateLimited } from './rate-limit.ts'

type Chain = MiddlewareHandler<HttpEnv>[]

/** What stands before the handlers, in the order of the checks: who, how often, how large, of what type. */
export interface Guards {
  /** A JSON body from anybody. */
  anyoneWithBody: Chain
  /** A partner, without a body. */
  partner: Chain
  /** A partner with a JSON body. */
  partnerWithBody: Chain
  /** As `partnerWithBody`, never rate-limited. */
  processorWithBody: Chain
}

export function createGuards(authenticate: (accessToken: string) => Promise<string>, clock: Clock): Guards {
  const who = authenticated(authenticate)
  const howOften = rateLimited(clock)
  return {
    anyoneWithBody: [limitedBody, jsonBody],
    partner: [who, howOften],
    partnerWithBody: [who, howOften, limitedBody, jsonBody],
    processorWithBody: [who, limitedBody, jsonBody],
  }
}
