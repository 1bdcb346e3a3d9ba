/** How long the refresh token before the newest still works, so that a client can retry after a lost response. */
export const REFRESH_GRACE_MS = 60_000

/** A refresh token and the state of its family. */
export interface RefreshState {
  /** The family's newest generation; the first is 1. */
  newestGeneration: number
  /** When the newest generation was created. */
  newestSince: number
  /** The presented token's generation, and whether this very token created the next one. */
  generation: number
  used: boolean
}

/**
 * Decides whether a refresh token may be exchanged at `at`.
 *
 * Why: rotation detects theft only if a used token is refused, but a client whose response was lost must be able to
 * retry. So the token that created the newest generation may create it again for 60 s. The first use of a token of that
 * generation creates a newer one and thus ends the grace period: the response has arrived.
 * Held by test/server/partners/rotation.test.ts.
 */
export function mayRotate(state: RefreshState, at: number): 'next' | 'again' | 'reuse' {
  if (state.generation === state.newestGeneration) return 'next'
  const madeTheNewest = state.used && state.generation === state.newestGeneration - 1
  return madeTheNewest && at - state.newestSince <= REFRESH_GRACE_MS ? 'again' : 'reuse'
}
