import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 10
/** A minute of looks on an idle machine. On a loaded one each look takes longer, so the deadline moves. */
const MOST_LOOKS = 6_000

/** Resolves with the first value of `look` other than false and undefined. Rejects with `what` when none comes. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await sleep(LOOK_EVERY_MS)
  }
  throw new Error(`after ${MOST_LOOKS} looks there was not: ${what}`)
}

/** Resolves as soon as `expectation` does not throw. Rejects with its last error. */
export async function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await expectation()
    } catch (error) {
      if (looks === MOST_LOOKS) throw error
    }
    await sleep(LOOK_EVERY_MS)
  }
}

/** For measurements in real time: whether `holds` becomes true within `withinMs`. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await sleep(2 * LOOK_EVERY_MS)
  }
  return true
}

/** As `waitUntil`: the milliseconds that it took, or undefined when it did not become true. */
export async function timeUntil(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<number | undefined> {
  const startedAt = performance.now()
  return (await waitUntil(holds, withinMs)) ? performance.now() - startedAt : undefined
}
