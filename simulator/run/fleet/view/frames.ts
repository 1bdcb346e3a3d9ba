import type { Clock } from '../../../platform/clock.ts'

/** No two frames are drawn closer together than this: ten a second, however much happens. */
export const FRAME_GAP_MS = 100

/** Draws as soon as it may after it was asked to; what is asked for meanwhile is in the same frame. */
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
