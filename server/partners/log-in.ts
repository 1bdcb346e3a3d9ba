import { timingSafeEqual } from 'node:crypto'
import { HubError } from '../platform/errors.ts'
import { sha256 } from '../security/digest.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { ClientSecret } from './partner.ts'
import type { PartnerRecords } from './ports.ts'
import { MAX_LIVE_SECRETS } from './secrets.ts'
import { type AdmitPartner, type IssuedTokens, issueTokens, type TokenDeps } from './tokens.ts'

/**
 * Exchanges a client id and one of its live secrets for tokens. An unknown client takes the same reads and comparisons
 * as a wrong secret, so that neither the answer nor its time reveals which clients exist.
 * A right secret is never refused because of wrong ones: anybody may send those, and would lock the partner out.
 * `admit` is called after the secret is verified and before anything is written; it throws to refuse the partner.
 */
export function logIn(deps: TokenDeps & { partners: PartnerRecords; throttle: LoginThrottle }) {
  return async function logIn(
    clientId: string,
    clientSecret: string,
    from: { network: string; admit: AdmitPartner },
  ): Promise<IssuedTokens> {
    const at = deps.clock.now()
    const partner = await deps.partners.find(clientId)
    const live = await deps.partners.liveSecrets(clientId, at)
    if (!matchesAny(clientSecret, live)) {
      const { network } = from
      const retryAfterS = await deps.throttle.failed({ clientId, network, isClient: partner !== undefined })
      if (retryAfterS > 0) throw new HubError('TOO_MANY_LOGIN_FAILURES', { retryAfterS })
      throw new HubError('INVALID_CLIENT')
    }
    if (partner?.disabledAt !== undefined) throw new HubError('CLIENT_DISABLED')
    from.admit(clientId)
    return issueTokens(deps, clientId)
  }
}

/** Compares hashes of equal length, always the same number, so that the time reveals nothing about the secrets. */
function matchesAny(presented: string, live: readonly ClientSecret[]): boolean {
  const given = sha256(presented)
  const matches = Array.from({ length: MAX_LIVE_SECRETS }, (_, index) => {
    const secret = live[index]?.secret
    return timingSafeEqual(given, sha256(secret ?? '')) && secret !== undefined
  })
  return matches.includes(true)
}
