import { it } from 'vitest'
import { expectReproduced, KINDS } from '../../simulation/reproduced.ts'

it.each(KINDS)('a seed is the same world again: %j', (kind) => expectReproduced(kind, [11, 12, 13, 14]))
