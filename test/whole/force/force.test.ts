import { describe, expect, it, type TestContext } from 'vitest'
import type { Scenario } from '../../force/scenario.ts'
import { SCENARIOS } from '../../force/scenarios.ts'

/** Each starts a hub of its own, some twice; a machine may be loaded. */
const DEADLINE_MS = 180_000

/** They mostly wait for speakers that come back. But what one measures the others must not disturb. */
const [alone, together] = [
  SCENARIOS.filter(({ name }) => name === 'frozen'),
  SCENARIOS.filter(({ name }) => name !== 'frozen'),
]

async function expectToHold({ run }: Scenario, { skip, onTestFinished }: TestContext) {
  const outcome = await run('quick', { onEnd: onTestFinished, say: () => undefined })
  if (outcome.kind === 'skipped') return skip(outcome.why)
  expect(outcome.broken).toEqual([])
  // A scenario in which nothing was heard would prove nothing.
  expect(outcome.figures['heard once']).toBeGreaterThan(0)
}

describe.concurrent('by force, side by side', { timeout: DEADLINE_MS }, () => {
  it.for(together)('$name: $promise', expectToHold)
})

describe('by force, alone', { timeout: DEADLINE_MS }, () => {
  it.for(alone)('$name: $promise', expectToHold)
})
