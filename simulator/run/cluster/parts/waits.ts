import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 50
/** Longer than any step takes on a very busy machine. */
const WITHIN_MS = 180_000

/** Waits that end. */
export interface Waits {
  /** Resolves when `isSo`. Rejects with a sentence that names `what` when it is not so in time. */
  until(what: string, isSo: () => boolean, withinMs?: number): Promise<void>
}

/** `ended` ends all waits: they reject. */
export function createWaits(ended: AbortSignal): Waits {
  return {
    async until(what, isSo, withinMs = WITHIN_MS) {
      const deadline = performance.now() + withinMs
      while (!isSo()) {
        ended.throwIfAborted()
        if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s for ${what}`)
        await sleep(LOOK_EVERY_MS)
      }
    },
  }
}
