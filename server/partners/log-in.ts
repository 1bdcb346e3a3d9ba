import { timingSafeEqual } from 'node:crypto'
import { HubError } from '../platform/errors.ts'
import { sha256 } from '../security/digest.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { PartnerRecords } from './ports.ts'
import { type AdmitPartner, type IssuedTokens, issueTokens, type TokenDeps } from './tokens.ts'

/** A partner has at most two live secrets; a client that does not exist is compared with as many. */
const SECRETS = 2

/**
 * Exchanges a client id and secret for tokens. Either of two live secrets opens the door. A client that does not
 * exist is treated as one whose secret is wrong, with the same look-ups and comparisons.
 * `admit` is called once the partner has proven who it is, before anything is written; it throws when the partner
 * may not go on.
 */
export function logIn(deps: TokenDeps & { partners: PartnerRecords; throttle: LoginThrottle }) {
  return async (clientId: string, clientSecret: string, admit: AdmitPartner): Promise<IssuedTokens> => {
    const at = deps.clock.now()
    const partner = await deps.partners.find(clientId)
    const live = await deps.partners.liveSecrets(clientId, at)
    // Nothing is awaited between this look and the failure's count, so that guesses at once don't slip past.
    const retryAfterS = deps.throttle.blockedForS(clientId)
    if (retryAfterS > 0) throw new HubError('TOO_MANY_LOGIN_FAILURES', { retryAfterS })
    if (
      !matchesAny(
        clientSecret,
        live.map((one) => one.secret),
      )
    ) {
      deps.throttle.failed(clientId, partner !== undefined)
      throw new HubError('INVALID_CLIENT')
    }
    if (partner?.disabledAt !== undefined) throw new HubError('CLIENT_DISABLED')
    admit(clientId)
    return issueTokens(deps, clientId)
  }
}

/** Compares hashes of equal length, and always as many, so that the time says nothing about which, how far or how many. */
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
