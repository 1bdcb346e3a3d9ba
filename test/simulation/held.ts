import { expect } from 'vitest'
import { tellFailure } from './report.ts'
import { prepareGround, STEPS } from './run.ts'
import { shrink } from './shrink.ts'

/** Runs these seeds; the first that fails is told in as few steps as it takes. Answers how often things happened. */
export async function expectToHold(from: number, seeds: number): Promise<Map<string, number>> {
  const ground = await prepareGround()
  const counts = new Map<string, number>()
  try {
    for (let seed = from; seed < from + seeds; seed += 1) {
      const outcome = await ground.run(seed)
      if (outcome.failure) expect.fail(tellFailure(await shrink(ground, outcome), STEPS))
      for (const [what, times] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + times)
    }
  } finally {
    ground.remove()
  }
  return counts
}
