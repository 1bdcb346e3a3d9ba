/**
 * Characters that are drawn as shapes, because fonts leave gaps between them: lines of boxes, and blocks, of which a
 * QR is made. A cell is 10 wide and 20 high; a path begins at the cell's left upper corner (`M` is written before).
 */

/** Lines, to be stroked. */
const LINES: Readonly<Record<string, string>> = {
  '─': 'm0 10h10',
  '│': 'm5 0v20',
  '┌': 'm10 10h-5v10',
  '┐': 'm0 10h5v10',
  '└': 'm10 10h-5v-10',
  '┘': 'm0 10h5v-10',
  '╭': 'm10 10q-5 0-5 5v5',
  '╮': 'm0 10q5 0 5 5v5',
  '╰': 'm10 10q-5 0-5-5v-5',
  '╯': 'm0 10q5 0 5-5v-5',
}

/** Blocks, to be filled: eighths from below, and the upper half. */
const BLOCKS: Readonly<Record<string, string>> = {
  '▀': 'h10v10h-10z',
  ...Object.fromEntries(
    [...'▁▂▃▄▅▆▇█'].map((char, index) => {
      const height = (index + 1) * 2.5
      return [char, `m0 ${20 - height}h10v${height}h-10z`]
    }),
  ),
}

export interface Shape {
  kind: 'line' | 'block'
  path: string
}

/** The shape of a character, or undefined when it is text. */
export function shapeOf(char: string): Shape | undefined {
  const line = LINES[char]
  if (line !== undefined) return { kind: 'line', path: line }
  const block = BLOCKS[char]
  return block === undefined ? undefined : { kind: 'block', path: block }
}
