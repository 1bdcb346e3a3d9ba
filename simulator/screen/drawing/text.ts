/**
 * Makes foreign text safe for a terminal: control characters, which could move the cursor or rewrite the clipboard,
 * become their pictures (U+2400 and up) or U+FFFD.
 */
export function printable(text: string): string {
  return text.replace(/\p{Control}/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '␡' : '\ufffd'
  })
}

const segmenter = new Intl.Segmenter()
/** Characters that terminals draw two cells wide: East Asian scripts and punctuation, full-width forms, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{17000}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u

/** The width of a text in terminal cells. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const { segment } of segmenter.segment(text)) cells += WIDE.test(segment) ? 2 : 1
  return cells
}

/** Shortens a text to at most `columns` cells; "…" marks the cut. */
export function shortened(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text
  return columns < 1 ? '' : `${text.slice(0, cutOf(text, columns - 1))}…`
}

/** The space between an amount and its đ, which also begins many words. */
const BEFORE_CURRENCY = /(?<=\d) (?=đ(?![\p{L}\p{M}]))/gu

/**
 * Wraps a line into rows of at most `columns` cells, at spaces if possible, but never between an amount and its
 * currency. Splits no character. `columns` is 2 or more.
 */
export function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line.replaceAll(BEFORE_CURRENCY, '\u00a0')
  for (let cut = cutOf(rest, columns); cut < rest.length; cut = cutOf(rest, columns)) {
    const space = rest.lastIndexOf(' ', cut)
    const end = space > cut / 2 ? space : cut
    rows.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...rows, rest].map((row) => row.replaceAll(/(?<=\d)\u00a0(?=đ)/g, ' '))
}

/** Splits a line into rows of at most `columns` cells and keeps every character. */
export function chop(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line
  for (let cut = cutOf(rest, columns); cut < rest.length; cut = cutOf(rest, columns)) {
    rows.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return [...rows, rest]
}

/** The length of the text that fits into `columns` cells, in UTF-16 units. */
function cutOf(text: string, columns: number): number {
  let cells = 0
  for (const { segment, index } of segmenter.segment(text)) {
    cells += WIDE.test(segment) ? 2 : 1
    if (cells > columns) return index
  }
  return text.length
}
