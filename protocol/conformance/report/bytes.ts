/** Bytes to a line of a dump: with the text beside them it fits 80 columns. */
const ROW = 16
/** So many are printed; the transcript has all. */
const MOST_BYTES = 512

/** Bytes in hex with their text beside them, a line for every sixteen. */
export function hexDump(bytes: Buffer): string[] {
  const rows: string[] = []
  for (let from = 0; from < Math.min(bytes.length, MOST_BYTES); from += ROW) {
    const row = bytes.subarray(from, Math.min(from + ROW, MOST_BYTES))
    rows.push(`${offset(from)}  ${hexOf(row).padEnd(ROW * 3)} ${textOf(row)}`)
  }
  const more = bytes.length - MOST_BYTES
  return more > 0 ? [...rows, `… and ${more} bytes more`] : rows
}

/** Bytes as text, with a dot for each that is no printable ASCII. */
export function textOf(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.')
}

function offset(from: number): string {
  return from.toString(16).padStart(4, '0')
}

/** In two halves, so that the eye finds its place. */
function hexOf(row: Buffer): string {
  const hex = (part: Buffer) => [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return row.length > ROW / 2 ? `${hex(row.subarray(0, ROW / 2))}  ${hex(row.subarray(ROW / 2))}` : hex(row)
}
