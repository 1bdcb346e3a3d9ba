/** For how long the refresh token before the newest still works, so that a lost answer can be asked for again. */
export const REFRESH_GRACE_MS = 60_000

/** A refresh token as its family knows it. */
export interface RefreshState {
  /** The family's newest generation; the first is 1. */
  newestGeneration: number
  /** When the newest generation was made. */
  newestSince: number
  /** The presented token's generation, and whether this very token made the next one. */
  generation: number
  used: boolean
}

/**
 * Decides whether a refresh token may be exchanged at `at`.
 *
 * Why: rotation detects theft only if a used token is refused, but a client whose answer was lost on the way
 * must be able to ask again. So the token that made the newest generation may make it once more for 60 s.
 * As soon as a token of that generation is used there is a newer one, which ends the grace: the answer had
 * arrived.
 * Held by test/server/partners/rotation.test.ts.
 */
export function mayRotate(state: RefreshState, at: number): 'next' | 'again' | 'reuse' {
  if (state.generation === state.newestGeneration) return 'next'
  const madeTheNewest = state.used && state.generation === state.newestGeneration - 1
  return madeTheNewest && at - state.newestSince <= REFRESH_GRACE_MS ? 'again' : 'reuse'
}
