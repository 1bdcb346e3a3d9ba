import type { Clock } from '../../../platform/clock.ts'

/** The least time between two frames: at most ten a second. */
export const FRAME_GAP_MS = 100

/** How often the figures are redrawn without a key press, when drawing costs little. */
export const REFRESH_MS = 250
/** Between two such frames is at least this many times the time that one takes: drawing takes a tenth at most, */
const PAUSE = 9
/** unless one takes so long that the figures would stand still. */
const SLOWEST_MS = 2_000

/** Milliseconds to the next frame without a key press, by the time that the last one took. */
export function refreshAfterMs(drawnInMs: number): number {
  return Math.min(SLOWEST_MS, Math.max(REFRESH_MS, (PAUSE + 1) * drawnInMs))
}

/** Measures the time from the beginning of a frame until its text is on its way to the terminal. */
export class DrawCost {
  #fromMs = 0
  lastMs = 0

  begin(): void {
    this.#fromMs = performance.now()
  }

  end(): void {
    this.lastMs = performance.now() - this.#fromMs
  }
}

/** Draws as soon as possible after a request; joins requests into one frame. */
export interface Frames {
  request(): void
  stop(): void
}

export function createFrames(clock: Clock, draw: () => void, gapMs = FRAME_GAP_MS): Frames {
  let drawnAtMs = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  return {
    request() {
      cancel ??= clock.wakeAt(Math.max(clock.now(), drawnAtMs + gapMs), () => {
        cancel = undefined
        drawnAtMs = clock.now()
        draw()
      })
    },
    stop: () => cancel?.(),
  }
}
