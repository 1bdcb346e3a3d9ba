/**
 * Colours by meaning. They tint signs and never words, so that every word is legible on light and on dark
 * backgrounds; of the sixteen names, yellow and white vanish on light ones and blue on dark ones. None carries
 * a meaning that the sign's shape and the word beside it don't.
 */
export interface Theme {
  good?: string
  bad?: string
  notice?: string
}

/** What a sign stands for; `quiet` is drawn faint. */
export type Meaning = keyof Theme | 'plain' | 'quiet'

const COLOURS: Theme = { good: 'green', bad: 'red', notice: 'magenta' }

/** The theme; without colour (NO_COLOR) there is only bold and dim. */
export function themeOf(colour: boolean): Theme {
  return colour ? COLOURS : {}
}

/** A meaning as properties of a text. */
export function paint(theme: Theme, meaning: Meaning): { color?: string; dimColor?: boolean } {
  if (meaning === 'plain') return {}
  if (meaning === 'quiet') return { dimColor: true }
  const color = theme[meaning]
  return color === undefined ? {} : { color }
}
