import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 20

/**
 * Waits until something holds; false when it does not within `withinMs`. Deadlines are generous, because a machine
 * may be loaded: what is measured is how long it took.
 */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > until) return false
    await sleep(LOOK_EVERY_MS)
  }
  return true
}

/** As `waitUntil`; the milliseconds that it took, undefined when it did not come. */
export async function timeUntil(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<number | undefined> {
  const startedAt = performance.now()
  return (await waitUntil(holds, withinMs)) ? performance.now() - startedAt : undefined
}
