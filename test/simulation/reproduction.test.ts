import { it } from 'vitest'
import { share } from '../support/seed.ts'
import { expectReproduced, KINDS } from './reproduced.ts'

// test/long/simulation/reproduction.test.ts runs the rest, and more seeds.
it.each(share(KINDS, KINDS.length).part)('a seed is the same world again: %j', (kind) =>
  expectReproduced(kind, [11, 12]),
)
