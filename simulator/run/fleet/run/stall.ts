/** How long a fleet may get no further: longer than a speaker waits for an answer of a slow hub. */
export const PATIENCE_MS = 60_000

/** Watches a count that rises while all is well. */
export class Stall {
  #count = Number.NEGATIVE_INFINITY
  #sinceMs = 0

  /** Milliseconds since the count last rose. */
  lookAt(count: number, nowMs: number): number {
    if (count > this.#count) {
      this.#count = count
      this.#sinceMs = nowMs
    }
    return nowMs - this.#sinceMs
  }
}
