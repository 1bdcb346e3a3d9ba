import { expect, type TestContext } from 'vitest'
import type { Scenario } from '../../force/scenario.ts'

/** Runs a scenario of `npm run force` with its small numbers. */
export async function expectToHold({ run }: Scenario, { skip, onTestFinished }: TestContext) {
  const outcome = await run('quick', { onEnd: onTestFinished, say: () => undefined })
  if (outcome.kind === 'skipped') return skip(outcome.why)
  expect(outcome.broken).toEqual([])
  // A scenario in which nothing was heard would prove nothing.
  expect(outcome.figures['heard once']).toBeGreaterThan(0)
}
