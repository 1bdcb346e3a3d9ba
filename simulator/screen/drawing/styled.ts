import { type Meaning, paint, type Theme } from './theme.ts'

/** A part of a line. */
export interface StyledPart {
  text: string
  meaning: Meaning
  bold?: boolean
  underline?: boolean
}

const COLOURS: Record<string, number> = { red: 31, green: 32, magenta: 35 }

/**
 * A line as one text with its control sequences (SGR). For lines of many parts: an element of Ink for each of them would
 * cost several times as much.
 */
export function styledLine(parts: readonly StyledPart[], theme: Theme): string {
  return parts.map((part) => styled(part, theme)).join('')
}

function styled({ text, meaning, bold = false, underline = false }: StyledPart, theme: Theme): string {
  const { color = '', dimColor = false } = paint(theme, meaning)
  const codes: [on: number, off: number][] = []
  if (COLOURS[color] !== undefined) codes.push([COLOURS[color], 39])
  if (bold) codes.push([1, 22])
  if (dimColor) codes.push([2, 22])
  if (underline) codes.push([4, 24])
  return codes.reduce((inner, [on, off]) => `\u001b[${on}m${inner}\u001b[${off}m`, text)
}
