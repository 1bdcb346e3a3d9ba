/** The hub is away. */
export interface Away {
  /** Since when no speaker is connected; undefined while one is. */
  speakersSinceMs: number | undefined
  /** Since when the partner API does not answer; undefined while it does, and when nobody asks it. */
  apiSinceMs: number | undefined
  /** The error of the partner API. */
  apiFailure: string
}

/** Counts the time during which the hub is away. */
export class AwayTime {
  ms = 0
  /** Until when it is counted; undefined while the hub is there. */
  #untilMs: number | undefined

  count(away: Away | undefined, nowMs: number): void {
    if (away) {
      const { speakersSinceMs = nowMs, apiSinceMs = nowMs } = away
      const fromMs = this.#untilMs ?? Math.min(speakersSinceMs, apiSinceMs)
      this.ms += Math.max(0, nowMs - fromMs)
    }
    this.#untilMs = away && nowMs
  }
}
