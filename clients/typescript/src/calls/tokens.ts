import type { PartnerAuthTokenResponseDto } from '../generated/types.ts'
import { HubError } from './errors.ts'

/** The access token of a client: got at the first request, renewed before it expires or when it is dead. */
export interface Tokens {
  get(): Promise<string>
  /** The hub has refused this token. */
  refused(token: string): void
}

/** A token is renewed this long before it expires, or a tenth of its life before when that is shorter. */
const EARLY_MS = 60_000

export interface TokenSource {
  /** Both resolve with what the hub has answered. */
  logIn(): Promise<unknown>
  refresh(refreshToken: string): Promise<unknown>
  now(): number
}

export function createTokens({ logIn, refresh, now }: TokenSource): Tokens {
  let held: { accessToken: string; refreshToken: string; renewAtMs: number } | undefined
  /** All requests of a moment share one renewal. */
  let renewal: Promise<string> | undefined

  async function renew(): Promise<string> {
    const askedAtMs = now()
    const answer = held ? refresh(held.refreshToken).catch(logInInstead) : logIn()
    const { accessToken, refreshToken, expiresIn } = toTokens(await answer)
    const lifeMs = expiresIn * 1_000
    held = { accessToken, refreshToken, renewAtMs: askedAtMs + lifeMs - Math.min(EARLY_MS, lifeMs / 10) }
    return accessToken
  }

  /** A refresh token that has expired or was revoked is refused; only a login helps. */
  function logInInstead(error: unknown): Promise<unknown> {
    if (!(error instanceof HubError) || error.isTemporary) throw error
    held = undefined
    return logIn()
  }

  return {
    async get() {
      if (held && now() < held.renewAtMs) return held.accessToken
      renewal ??= renew().finally(() => {
        renewal = undefined
      })
      return renewal
    },
    refused(token) {
      if (held?.accessToken === token) held.renewAtMs = Number.NEGATIVE_INFINITY
    },
  }
}

/** Whoever else answers 200, such as the page of a proxy, has no token. */
function toTokens(answer: unknown) {
  const { accessToken, refreshToken, expiresIn }: Partial<PartnerAuthTokenResponseDto> = Object(answer)
  // The error of a wrong header would show the token.
  if (!isVisible(accessToken) || !isVisible(refreshToken) || typeof expiresIn !== 'number')
    throw new Error('the answer to the login has no tokens: is the address that of a hub?')
  return { accessToken, refreshToken, expiresIn }
}

const isVisible = (text: unknown): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)
