import { expect } from 'vitest'
import { tellFailure } from './report.ts'
import { prepareGround, STEPS } from './run.ts'
import { shrink } from './shrink.ts'

/**
 * Runs `worlds` seeds from `from` on. Fails at the first seed that breaks a promise: with the fewest steps that break
 * it, and the command that repeats them. Returns how often each thing happened.
 */
export async function expectToHold(from: number, worlds: number): Promise<ReadonlyMap<string, number>> {
  const ground = await prepareGround()
  const counts = new Map<string, number>()
  try {
    for (let seed = from; seed < from + worlds; seed += 1) {
      const outcome = await ground.run(seed)
      if (outcome.failure) expect.fail(tellFailure(await shrink(ground, outcome), STEPS))
      for (const [what, times] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + times)
    }
  } finally {
    ground.remove()
  }
  return counts
}
