import { expect, it, onTestFinished } from 'vitest'
import { SCENARIOS } from './scenarios.ts'

/** Each starts a hub of its own, some twice; a machine may be loaded. */
const DEADLINE_MS = 180_000

it.for(SCENARIOS)('$name: $promise', { timeout: DEADLINE_MS }, async ({ run }, { skip }) => {
  const outcome = await run('quick', { onEnd: onTestFinished, say: () => undefined })
  if (outcome.kind === 'skipped') return skip(outcome.why)
  expect(outcome.broken).toEqual([])
  // A scenario in which nothing was heard would prove nothing.
  expect(outcome.figures['heard once']).toBeGreaterThan(0)
})
