import { expect } from 'vitest'
import { tellFailure } from './report.ts'
import { prepareGround, STEPS } from './run.ts'
import { shrink } from './shrink.ts'

export interface Held {
  worlds: number
  /** What has happened in them, how often. */
  counts: ReadonlyMap<string, number>
}

/**
 * Runs as many seeds as fit the time, up to `most` and `fewest` at least; the first that fails is told in as few
 * steps as it takes. By the time, because a test must not take minutes where the machine is busy.
 */
export async function expectToHold(
  from: number,
  { fewest, most, withinMs }: { fewest: number; most: number; withinMs: number },
): Promise<Held> {
  const ground = await prepareGround()
  const counts = new Map<string, number>()
  const endsAt = performance.now() + withinMs
  let worlds = 0
  try {
    while (worlds < most && (worlds < fewest || performance.now() < endsAt)) {
      const outcome = await ground.run(from + worlds)
      if (outcome.failure) expect.fail(tellFailure(await shrink(ground, outcome), STEPS))
      for (const [what, times] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + times)
      worlds += 1
    }
  } finally {
    ground.remove()
  }
  return { worlds, counts }
}
