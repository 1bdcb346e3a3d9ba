import { describe, it } from 'vitest'
import { SCENARIOS } from '../../force/scenarios.ts'
import { expectToHold } from '../../support/proof/expect-to-hold.ts'

/** The many sockets of the others delay the connections to PostgreSQL in this process. */
const THREE_HUBS = [
  ...['cluster-kill', 'cluster-freeze', 'cluster-cut', 'postgres-kill', 'postgres-hang', 'postgres-failover'],
  'rolling',
]
/** They mostly wait for speakers that come back. But what one measures the others must not disturb. */
const ALONE = ['frozen']
/** test/whole/force/kill.test.ts runs it. */
const IN_THE_GATE = 'kill'
const [alone, cluster, together] = [
  SCENARIOS.filter(({ name }) => ALONE.includes(name)),
  SCENARIOS.filter(({ name }) => THREE_HUBS.includes(name)),
  SCENARIOS.filter(({ name }) => ![...ALONE, ...THREE_HUBS, IN_THE_GATE].includes(name)),
]

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
