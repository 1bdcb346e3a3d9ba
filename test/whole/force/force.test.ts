import { describe, expect, it, type TestContext } from 'vitest'
import type { Scenario } from '../../force/scenario.ts'
import { SCENARIOS } from '../../force/scenarios.ts'

/** The many sockets of the others delay the connections to PostgreSQL in this process. */
const THREE_HUBS = [
  ...['cluster-kill', 'cluster-freeze', 'cluster-cut', 'postgres-kill', 'postgres-hang', 'postgres-failover'],
  'rolling',
]
/** They mostly wait for speakers that come back. But what one measures the others must not disturb. */
const ALONE = ['frozen']
const [alone, cluster, together] = [
  SCENARIOS.filter(({ name }) => ALONE.includes(name)),
  SCENARIOS.filter(({ name }) => THREE_HUBS.includes(name)),
  SCENARIOS.filter(({ name }) => ![...ALONE, ...THREE_HUBS].includes(name)),
]

async function expectToHold({ run }: Scenario, { skip, onTestFinished }: TestContext) {
  const outcome = await run('quick', { onEnd: onTestFinished, say: () => undefined })
  if (outcome.kind === 'skipped') return skip(outcome.why)
  expect(outcome.broken).toEqual([])
  // A scenario in which nothing was heard would prove nothing.
  expect(outcome.figures['heard once']).toBeGreaterThan(0)
}

describe.concurrent('by force, side by side', () => {
  it.for(together)('$name: $promise', expectToHold)
})

describe('by force, alone', () => {
  it.for(alone)('$name: $promise', expectToHold)
})

// Behind the one alone: neighbours that are concurrent would run together.
describe.concurrent('by force, three hubs side by side', () => {
  it.for(cluster)('$name: $promise', expectToHold)
})
