import { PATIENCE_MS, Stall } from './stall.ts'

/**
 * `complete`: every speaker is connected, and has its shop if the fleet pays. `stalled`: it got no further.
 * `stopped`: somebody ended the run before.
 */
export type RampEnd = 'complete' | 'stalled' | 'stopped'

/** How far a ramp is. */
export interface RampState {
  speakers: number
  connected: number
  mostConnected: number
  /** Speakers that were welcomed at least once. */
  welcomed: number
  /** Undefined: the fleet does not pay. */
  shops: { ready: number; failed: number } | undefined
}

/** Decides when the ramp of a fleet is over: the first part of a run, in which speakers connect and get their shops. */
export class RampWatch {
  end: { how: RampEnd; atMs: number } | undefined
  /** Milliseconds since the ramp last got further. */
  stalledMs = 0
  /** The ramp ends when it gets no further for so long, in milliseconds. */
  readonly patienceMs: number
  readonly #stall = new Stall()

  /** `connectRate`: with a lower one, more than the patience may pass between the starts of two speakers. */
  constructor(patienceMs: number = PATIENCE_MS, connectRate: number = 1) {
    this.patienceMs = patienceMs + 2_000 / connectRate
  }

  look(state: RampState, nowMs: number): void {
    if (this.end) return
    const { mostConnected, welcomed, shops } = state
    const progress = mostConnected + welcomed + (shops ? shops.ready + shops.failed : 0)
    this.stalledMs = this.#stall.lookAt(progress, nowMs)
    if (isComplete(state)) this.end = { how: 'complete', atMs: nowMs }
    else if (this.stalledMs >= this.patienceMs) this.end = { how: 'stalled', atMs: nowMs }
  }

  stop(nowMs: number): void {
    this.end ??= { how: 'stopped', atMs: nowMs }
  }
}

function isComplete({ speakers, connected, shops }: RampState): boolean {
  return connected === speakers && (!shops || shops.ready + shops.failed === speakers)
}
