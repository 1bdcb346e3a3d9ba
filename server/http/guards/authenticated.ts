import type { Context } from 'hono'
import { fieldError, HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'
import type { Check } from './check.ts'

/** The client id that an access token belongs to; throws when the token is not valid. */
export type Authenticate = (accessToken: string) => Promise<string>

const NOT_BEARER = 'must be the word Bearer, a space and an access token'
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i

/** Refuses a request whose x-client-id is not the client that it is authenticated as. */
export function checkClaim(c: Context<HttpEnv>, clientId: string) {
  const claimed = c.req.header('x-client-id')
  if (claimed !== undefined && claimed !== clientId) throw new HubError('CLIENT_ID_MISMATCH')
}

/** Requires a valid access token. `known` is called with its client. */
export function authenticated(
  authenticate: Authenticate,
  known: (c: Context<HttpEnv>, clientId: string) => void,
): Check {
  return async function checkToken(c) {
    const header = c.req.header('authorization')
    if (header === undefined) throw new HubError('MISSING_CREDENTIALS')
    const token = BEARER.exec(header)?.[1]
    if (token === undefined) throw fieldError('INVALID_TOKEN', 'Authorization', NOT_BEARER)
    const clientId = await authenticate(token)
    checkClaim(c, clientId)
    known(c, clientId)
  }
}
