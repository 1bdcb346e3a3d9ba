/** The cells of a row. A number is written as it is; what a spreadsheet would take for a formula gets a `'` before it. */
export type CsvCell = string | number

/** Begins a formula in some spreadsheet; those of East Asia take the full-width forms, too. */
const SIGN = '[=+\\-@＝＋－＠]'
const FORMULA = new RegExp(`^([\\t\\r\\n]|[\\s"]*${SIGN})`)
/**
 * Where a cell begins in the middle of a text when a spreadsheet takes another delimiter, as it does in many countries: the
 * quotes around the text are inside of a cell then, and protect nothing.
 */
const INNER_FORMULA = new RegExp(`((?:[;|]|(?<!^)[\\t\\r\\n])[\\s"]*)(?=${SIGN})`, 'g')
const QUOTED = /[",\r\n]/

/** One line (RFC 4180). */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join()}\r\n`
}

function toCell(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell)
  const inner = cell.replace(INNER_FORMULA, "$1'")
  const text = FORMULA.test(cell) ? `'${inner}` : inner
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The columns of a file: the name of each, and its cell in a row. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>

/**
 * The parts of a file: its header, its rows as they are read, and a last line with their count. A file without that line
 * is not whole. The part of a page without rows is empty: between two parts, the reader can stop.
 */
export async function* csvParts<Row>(
  columns: CsvColumns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void> {
  const cells = Object.values(columns)
  let count = 0
  yield csvLine(Object.keys(columns))
  for await (const rows of pages) {
    count += rows.length
    yield rows.map((row) => csvLine(cells.map((cell) => cell(row)))).join('')
  }
  yield csvLine(['# rows', count])
}
