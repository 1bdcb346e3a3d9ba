import { it } from 'vitest'
import { expectReproduced, KINDS } from '../../simulation/reproduced.ts'
import { share } from '../../support/seed.ts'

/** The kinds of worlds that test/simulation/reproduction.test.ts leaves out at this commit. */
it.each(share(KINDS, KINDS.length).rest)('a seed is the same world again: %j', expectReproduced)
