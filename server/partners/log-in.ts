import { createHash, timingSafeEqual } from 'node:crypto'
import { HubError } from '../errors.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { PartnerRecords } from './ports.ts'
import { type IssuedTokens, issueTokens, type TokenDeps } from './tokens.ts'

/** Exchanges a client id and secret for tokens. Either of two live secrets opens the door. */
export function logIn(deps: TokenDeps & { partners: PartnerRecords; throttle: LoginThrottle }) {
  return async (clientId: string, clientSecret: string): Promise<IssuedTokens> => {
    const at = deps.clock.now()
    const partner = await deps.partners.find(clientId)
    const live = partner ? await deps.partners.liveSecrets(clientId, at) : []
    // Nothing is awaited between this look and the failure's count, so that guesses at once don't slip past.
    const retryAfterS = deps.throttle.blockedForS(clientId)
    if (retryAfterS > 0) throw new HubError('TOO_MANY_LOGIN_FAILURES', { retryAfterS })
    if (
      !matchesAny(
        clientSecret,
        live.map((one) => one.secret),
      )
    ) {
      deps.throttle.failed(clientId)
      throw new HubError('INVALID_CLIENT')
    }
    if (partner?.disabledAt !== undefined) throw new HubError('CLIENT_DISABLED')
    return issueTokens(deps, clientId)
  }
}

/** Compares with every secret, by hashes of equal length, so that the time says nothing about which or how far. */
function matchesAny(presented: string, secrets: string[]): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const given = digest(presented)
  let matched = false
  for (const secret of secrets) matched = timingSafeEqual(given, digest(secret)) || matched
  return matched
}
