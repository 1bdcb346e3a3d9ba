import type { Clock } from '../../../platform/clock.ts'

/** The least time between two frames: at most ten a second. */
export const FRAME_GAP_MS = 100

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
