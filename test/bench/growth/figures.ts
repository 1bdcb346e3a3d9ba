import { medians, type Pair } from '../in-turn.ts'
import type { Figure } from '../table.ts'
import type { Filled } from './seed.ts'

/** A file that has grown, and one with few payments. */
export interface Both {
  small: Filled
  large: Filled
}

/** Of the speed that a hub has with few. */
export const GOAL = 'at least 0.9'

interface Kind {
  word(value: number): string
  /** Of a speed more is better, of a cost less. */
  is: 'speed' | 'cost'
  goal?: string | undefined
}

/**
 * What was measured with the large file, beside the small one, in turn. The ratio is always one of speeds: below 1 the
 * large file is the slower, or the dearer.
 */
export function grown({ small, large }: Both, what: string, pairs: readonly Pair[], kind: Kind): Figure {
  const compare = ([much, little]: Pair) => (kind.is === 'speed' ? much / little : little / much)
  return {
    what: `${what}, with ${large.size.payments.toLocaleString('en')} payments`,
    peer: `with ${small.size.payments.toLocaleString('en')}`,
    ...medians(pairs, kind.word, compare),
    ...(kind.goal !== undefined && { goal: kind.goal }),
  }
}
