import type { Ground, Outcome, RunOptions } from './run.ts'

/** Runs that are spent on making a failure shorter. */
const MOST_RUNS = 200

/**
 * Leaves out steps for as long as the same promise breaks: ever smaller parts, down to single steps. Each step has
 * dice of its own, so that the others stay what they are.
 */
export async function shrink(ground: Ground, failed: Outcome, options: RunOptions = {}): Promise<Outcome> {
  if (!failed.failure) return failed
  const { invariant } = failed.failure
  let shortest = failed
  let kept = failed.failure.actions.map(({ step }) => step)
  let runs = 0

  async function stillBreaks(only: readonly number[]): Promise<boolean> {
    runs += 1
    const outcome = await ground.run(failed.seed, { ...options, only: new Set(only) })
    if (outcome.failure?.invariant !== invariant) return false
    shortest = outcome
    kept = outcome.failure.actions.map(({ step }) => step)
    return true
  }

  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < kept.length && runs < MOST_RUNS; ) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (!(await stillBreaks(without))) from += size
    }
  return shortest
}
