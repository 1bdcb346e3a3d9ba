/**
 * Colours by meaning. Only signs have a colour, so that every word is legible on light and dark backgrounds: of the
 * sixteen named colours, yellow and white vanish on light ones and blue on dark ones. The sign's shape and the word
 * beside it carry the same meaning.
 */
export interface Theme {
  good?: string
  bad?: string
  notice?: string
}

/** The meaning of a sign; `quiet` is drawn faint. */
export type Meaning = keyof Theme | 'plain' | 'quiet'

const COLOURS: Theme = { good: 'green', bad: 'red', notice: 'magenta' }

/** The theme; without colour (NO_COLOR) it has only bold and dim. */
export function themeOf(colour: boolean): Theme {
  return colour ? COLOURS : {}
}

/** A meaning as properties of Ink's Text. */
export function paint(theme: Theme, meaning: Meaning): { color?: string; dimColor?: boolean } {
  if (meaning === 'plain') return {}
  if (meaning === 'quiet') return { dimColor: true }
  const color = theme[meaning]
  return color === undefined ? {} : { color }
}
