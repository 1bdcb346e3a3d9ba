import { type Meaning, paint, type Theme } from './theme.ts'

/** How a border is drawn, as properties of Ink's Text. */
export interface BorderStyle {
  color?: string
  dimColor?: boolean
  bold?: boolean
}

/** A border that means nothing. */
export const FAINT: BorderStyle = { dimColor: true }

/** A border with a meaning: in its colour, and bold where there is none. */
export function borderOf(theme: Theme, meaning: Meaning): BorderStyle {
  return meaning === 'plain' || meaning === 'quiet' ? FAINT : { ...paint(theme, meaning), bold: true }
}
