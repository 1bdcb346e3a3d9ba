import { timingSafeEqual } from 'node:crypto'
import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import { byPartner, HUB } from '../security/actor.ts'
import { sha256 } from '../security/digest.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { type ClientSecret, MAX_LIVE_SECRETS } from './partner.ts'
import type { PartnerRecords, TokenPair, TokenRecords } from './ports.ts'

const ACCESS_TOKEN_MS = 60 * 60_000
/** The lifetime of a family of refresh tokens, counted from its login; rotation does not extend it. */
const REFRESH_FAMILY_MS = 30 * 24 * 60 * 60_000

/** The answer to a login or a refresh; lifetimes in seconds. */
export interface IssuedTokens {
  accessToken: string
  tokenType: 'Bearer'
  expiresIn: number
  refreshToken: string
  refreshExpiresIn: number
}

/** Counts a request of an authenticated partner; throws when its quota is used up. */
export type AdmitPartner = (clientId: string) => void

export interface TokenDeps {
  tokens: TokenRecords
  clock: Clock
  ids: Ids
}

/** Starts a family of tokens for an authenticated partner. */
export async function issueTokens(
  { tokens, clock, ids }: TokenDeps,
  clientId: string,
): Promise<IssuedTokens> {
  const at = clock.now()
  const expiresAt = at + REFRESH_FAMILY_MS
  const { pair, issued } = newPair(ids, at)
  await tokens.start(byPartner(clientId), { id: ids.uuid(), clientId, expiresAt }, pair, at)
  return issued(expiresAt)
}

/** Access tokens whose hashes are cached. */
const HASHED = 1_000

/** What partners do with tokens. */
export function manageTokens(deps: TokenDeps & { partners: PartnerRecords; throttle: LoginThrottle }) {
  const { tokens, partners, throttle, clock, ids } = deps
  const hashes = createBoundedMap<Buffer>(HASHED)

  return {
    /**
     * Exchanges a client id and one of its live secrets for tokens. An unknown client takes the same reads and comparisons
     * as a wrong secret, so that neither the answer nor its time reveals which clients exist.
     * A right secret is never refused because of wrong ones: anybody may send those, and would lock the partner out.
     * `admit` is called after the secret is verified and before anything is written; it throws to refuse the partner.
     */
    async logIn(
      clientId: string,
      clientSecret: string,
      { network, admit }: { network: string; admit: AdmitPartner },
    ): Promise<IssuedTokens> {
      const at = clock.now()
      const partner = await partners.find(clientId)
      const live = await partners.liveSecrets(clientId, at)
      if (!matchesAny(clientSecret, live)) {
        const retryAfterS = await throttle.failed({ clientId, network, isClient: partner !== undefined })
        if (retryAfterS > 0) throw new HubError('TOO_MANY_LOGIN_FAILURES', { retryAfterS })
        throw new HubError('INVALID_CLIENT')
      }
      if (partner?.disabledAt !== undefined) throw new HubError('CLIENT_DISABLED')
      admit(clientId)
      return issueTokens(deps, clientId)
    },

    /**
     * Exchanges a refresh token by the rules of rotation.ts. `admit` is called for the owner of a token that may be
     * exchanged, before anything is written. Any other token authenticates nobody, so it counts against nobody's quota; it
     * causes no write, except that the first reuse revokes the family.
     */
    async refresh(presented: string, admit: AdmitPartner): Promise<IssuedTokens> {
      const at = clock.now()
      const hash = sha256(presented)
      const known = await tokens.judge(hash, at)
      if (!known) throw new HubError(REFUSED.unknown)
      if (known.verdict === 'next' || known.verdict === 'again') admit(known.clientId)
      // At a reuse `rotate` revokes the family.
      else if (known.verdict !== 'reuse') throw new HubError(REFUSED[known.verdict])
      const { pair, issued } = newPair(ids, at)
      // Nobody knows who has sent a token that was exchanged before: the hub revokes it.
      const rotation = await tokens.rotate(HUB, hash, pair, at)
      if (rotation.kind !== 'rotated') throw new HubError(REFUSED[rotation.kind])
      return issued(rotation.familyExpiresAt)
    },

    /**
     * Answers the client id of an access token; throws when the token is unknown or expired, or its partner disabled.
     *
     * The hashes of valid tokens are cached, because a partner sends the same token with thousands of requests. The grant
     * is read every time.
     */
    async authenticate(accessToken: string): Promise<string> {
      const known = hashes.get(accessToken)
      const hash = known ?? sha256(accessToken)
      const grant = await tokens.grant(hash)
      if (!grant) throw new HubError('INVALID_TOKEN')
      if (!known) hashes.set(accessToken, hash)
      if (grant.disabled) throw new HubError('CLIENT_DISABLED')
      if (clock.now() >= grant.expiresAt) throw new HubError('TOKEN_EXPIRED')
      return grant.clientId
    },
  }
}

const REFUSED = {
  unknown: 'INVALID_REFRESH_TOKEN',
  expired: 'INVALID_REFRESH_TOKEN',
  disabled: 'CLIENT_DISABLED',
  revoked: 'REFRESH_TOKEN_REUSED',
  reused: 'REFRESH_TOKEN_REUSED',
} as const

/** Compares hashes of equal length, always the same number, so that the time reveals nothing about the secrets. */
function matchesAny(presented: string, live: readonly ClientSecret[]): boolean {
  const given = sha256(presented)
  const matches = Array.from({ length: MAX_LIVE_SECRETS }, (_, index) => {
    const secret = live[index]?.secret
    return timingSafeEqual(given, sha256(secret ?? '')) && secret !== undefined
  })
  return matches.includes(true)
}

/** Two new tokens: the pair to store, and the answer for a family that ends at `familyExpiresAt`. */
function newPair(ids: Ids, at: number) {
  const accessToken = ids.accessToken()
  const refreshToken = ids.refreshToken()
  // Tokens are random, so a plain hash protects them at rest and is cheap to check.
  const hashes = { accessHash: sha256(accessToken), refreshHash: sha256(refreshToken) }
  const pair: TokenPair = { ...hashes, accessExpiresAt: at + ACCESS_TOKEN_MS }
  const issued = (familyExpiresAt: number): IssuedTokens => ({
    accessToken,
    tokenType: 'Bearer',
    expiresIn: ACCESS_TOKEN_MS / 1000,
    refreshToken,
    refreshExpiresIn: Math.max(0, Math.floor((familyExpiresAt - at) / 1000)),
  })
  return { pair, issued }
}
