/** Bytes per line of a dump. With their text the line fits 80 columns. */
const ROW = 16
/** A dump shows at most this many bytes. The transcript has all. */
const MAX_BYTES = 512

/** Formats bytes as hex and text, sixteen per line. */
export function hexDump(bytes: Buffer): string[] {
  const rows: string[] = []
  for (let from = 0; from < Math.min(bytes.length, MAX_BYTES); from += ROW) {
    const row = bytes.subarray(from, Math.min(from + ROW, MAX_BYTES))
    rows.push(`${offset(from)}  ${hexOf(row).padEnd(ROW * 3)} ${textOf(row)}`)
  }
  const more = bytes.length - MAX_BYTES
  return more > 0 ? [...rows, `… and ${more} bytes more`] : rows
}

/** Bytes as text, with a dot for each byte that is not printable ASCII. */
export function textOf(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.')
}

function offset(from: number): string {
  return from.toString(16).padStart(4, '0')
}

/** Hex in two halves, which are easier to read. */
function hexOf(row: Buffer): string {
  const hex = (part: Buffer) => [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return row.length > ROW / 2 ? `${hex(row.subarray(0, ROW / 2))}  ${hex(row.subarray(ROW / 2))}` : hex(row)
}
