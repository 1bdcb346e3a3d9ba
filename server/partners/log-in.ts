import { timingSafeEqual } from 'node:crypto'
import { HubError } from '../platform/errors.ts'
import { sha256 } from '../security/digest.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { PartnerRecords } from './ports.ts'
import { type AdmitPartner, type IssuedTokens, issueTokens, type TokenDeps } from './tokens.ts'

/** A partner has at most two live secrets. An unknown client is compared with as many. */
const SECRETS = 2

/**
 * Exchanges a client id and one of its live secrets for tokens. An unknown client takes the same reads and comparisons
 * as a wrong secret, so that neither the answer nor its time reveals which clients exist.
 * `admit` is called after the secret is verified and before anything is written; it throws to refuse the partner.
 */
export function logIn(deps: TokenDeps & { partners: PartnerRecords; throttle: LoginThrottle }) {
  return async function logIn(
    clientId: string,
    clientSecret: string,
    admit: AdmitPartner,
  ): Promise<IssuedTokens> {
    const at = deps.clock.now()
    const partner = await deps.partners.find(clientId)
    const live = await deps.partners.liveSecrets(clientId, at)
    // No await between this check and `failed`: parallel guesses must not all pass the check.
    const retryAfterS = deps.throttle.blockedForS(clientId)
    if (retryAfterS > 0) throw new HubError('TOO_MANY_LOGIN_FAILURES', { retryAfterS })
    const secrets = live.map(({ secret }) => secret)
    if (!matchesAny(clientSecret, secrets)) {
      deps.throttle.failed(clientId, partner !== undefined)
      throw new HubError('INVALID_CLIENT')
    }
    if (partner?.disabledAt !== undefined) throw new HubError('CLIENT_DISABLED')
    admit(clientId)
    return issueTokens(deps, clientId)
  }
}

/** Compares hashes of equal length, always the same number, so that the time reveals nothing about the secrets. */
function matchesAny(presented: string, secrets: string[]): boolean {
  const given = sha256(presented)
  let matched = false
  for (let index = 0; index < SECRETS; index += 1) {
    const secret = secrets[index]
    const same = timingSafeEqual(given, sha256(secret ?? ''))
    matched = (same && secret !== undefined) || matched
  }
  return matched
}
