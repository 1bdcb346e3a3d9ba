/** How long the refresh token before the newest still works, so that a lost answer can be asked for again. */
export const REFRESH_GRACE_MS = 60_000
/** A family of refresh tokens is kept this long after its end. Later its tokens are unknown instead of expired. */
export const FAMILY_KEPT_MS = 24 * 60 * 60_000

/** A presented refresh token, with its family and its partner. */
export interface PresentedRefresh {
  /** The family's newest generation; the first is 1. */
  newestGeneration: number
  /** When the newest generation was made. */
  newestSince: number
  familyRevoked: boolean
  familyExpiresAt: number
  partnerDisabled: boolean
  /** The generation of the presented token. */
  generation: number
  /** Whether this very token made the next generation. */
  used: boolean
}

/**
 * `next`: exchange it for the next generation. `again`: exchange it once more for that generation.
 * `reuse`: it was exchanged before; revoke its family.
 */
export type RefreshVerdict = 'next' | 'again' | 'reuse' | 'revoked' | 'expired' | 'disabled'

/**
 * Decides what happens to a refresh token that is presented at `at`.
 *
 * Why `again`: rotation detects theft only if a used token is refused, but a client whose answer was lost must be able
 * to ask again. So the token that made the newest generation may make it once more for 60 s. The use of a token of that
 * generation makes a newer one, and ends the grace: the answer had arrived.
 * Held by test/server/partners/rotation.test.ts.
 */
export function judgeRefresh(token: PresentedRefresh, at: number): RefreshVerdict {
  if (token.familyRevoked) return 'revoked'
  if (at >= token.familyExpiresAt) return 'expired'
  if (token.partnerDisabled) return 'disabled'
  if (token.generation === token.newestGeneration) return 'next'
  const madeTheNewest = token.used && token.generation === token.newestGeneration - 1
  return madeTheNewest && at - token.newestSince <= REFRESH_GRACE_MS ? 'again' : 'reuse'
}
