/**
 * Colours by meaning. Each is legible on light and on dark backgrounds (so no yellow, white or blue), and
 * none carries a meaning that the words beside it don't.
 */
export interface Theme {
  good?: string
  bad?: string
  notice?: string
  accent?: string
}

const COLOURS: Theme = { good: 'green', bad: 'red', notice: 'magenta', accent: 'cyan' }

/** The theme; without colour (NO_COLOR, a dumb terminal) there is only bold and dim. */
export function themeOf(colour: boolean): Theme {
  return colour ? COLOURS : {}
}
