import { randomFrom } from '../../support/random.ts'

/** Chance, drawn from a seed: the same questions in the same order get the same answers. */
export interface Dice {
  /** [0, 1). */
  fraction(): number
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  /** True that often: 0 never, 1 always. */
  chance(probability: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
  /** As `pick` from a list that may be empty. */
  pickAny<T>(choices: readonly T[]): T | undefined
  /** Picks by weight. */
  weigh<T>(choices: readonly { weight: number; of: T }[]): T | undefined
  hex(digits: number): string
}

/**
 * Dice of their own for each purpose, so that one thing more or less that happens in one place changes nothing
 * drawn in another: that is what lets a failing run be made shorter.
 */
export function diceFrom(seed: number, ...purpose: (string | number)[]): Dice {
  const fraction = randomFrom(hash(`${seed}/${purpose.join('/')}`))
  const below = (count: number) => Math.floor(fraction() * count)
  return {
    fraction,
    between: (min, max) => min + below(max - min + 1),
    chance: (probability) => fraction() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    pickAny: (choices) => choices[below(choices.length)],
    weigh(choices) {
      let left = fraction() * choices.reduce((sum, { weight }) => sum + weight, 0)
      return choices.find(({ weight }) => {
        left -= weight
        return left < 0
      })?.of
    },
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(''),
  }
}

/** FNV-1a, 32 bits: neighbouring seeds must not give neighbouring numbers. */
export function hash(text: string, from = 0x811c9dc5): number {
  let sum = from
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193)
  return sum >>> 0
}
