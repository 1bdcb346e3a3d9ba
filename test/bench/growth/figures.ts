import { compare, type Pair } from '../parts/in-turn.ts'
import type { Figure } from '../parts/table.ts'
import type { Filled } from './seed.ts'

/** A value for the large file and for the small one. */
export interface Both {
  small: Filled
  large: Filled
}

/** The goal, as a share of the speed with the small file. */
export const GOAL = 'at least 0.9'

interface Kind {
  word(value: number): string
  /** Whether the figure is a speed (more is better) or a cost (less is better). */
  is: 'speed' | 'cost'
  goal?: string | undefined
}

/**
 * Measurements with the large and the small file, in turn. The ratio always compares speeds: below 1 the large file is
 * slower or costs more.
 */
export function grown(
  { small, large }: Both,
  what: string,
  pairs: readonly Pair[],
  { word, is, goal }: Kind,
): Figure[] {
  const better = ([much, little]: Pair) => (is === 'speed' ? much / little : little / much)
  const named = `${what}, with ${large.size.payments.toLocaleString('en')} payments`
  return compare(named, `with ${small.size.payments.toLocaleString('en')}`, pairs, word, goal, better)
}
