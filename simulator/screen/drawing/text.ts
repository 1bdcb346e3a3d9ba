/**
 * Text from outside as it may stand on a terminal: control characters, which could move the cursor or rewrite
 * the clipboard, become their pictures (U+2400 and up) or U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(/\p{Control}/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '␡' : '\ufffd'
  })
}

const segmenter = new Intl.Segmenter()
/** What terminals draw two cells wide: East Asian scripts with their punctuation, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{17000}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u

/** The terminal cells that a text takes. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const { segment } of segmenter.segment(text)) cells += WIDE.test(segment) ? 2 : 1
  return cells
}

/** At most so many cells of the text; where something is left out, a sign for it is the last. */
export function shortened(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text
  return columns < 1 ? '' : `${text.slice(0, cutOf(text, columns - 1))}…`
}

/**
 * Breaks a line into rows of at most so many cells, at spaces where it can, but never between an amount and its
 * currency. No character is split. `columns` is 2 or more.
 */
export function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line.replaceAll(' ₫', '\u00a0₫')
  for (let cut = cutOf(rest, columns); cut < rest.length; cut = cutOf(rest, columns)) {
    const space = rest.lastIndexOf(' ', cut)
    const end = space > cut / 2 ? space : cut
    rows.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...rows, rest]
}

/** Breaks a line into rows of at most so many cells, every character in its place. */
export function chop(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line
  for (let cut = cutOf(rest, columns); cut < rest.length; cut = cutOf(rest, columns)) {
    rows.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return [...rows, rest]
}

/** How much of the text fits into so many cells, in UTF-16 units. */
function cutOf(text: string, columns: number): number {
  let cells = 0
  for (const { segment, index } of segmenter.segment(text)) {
    cells += WIDE.test(segment) ? 2 : 1
    if (cells > columns) return index
  }
  return text.length
}
