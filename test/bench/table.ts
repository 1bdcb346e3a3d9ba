/** A figure beside its peer, both measured in the same run. */
export interface Figure {
  what: string
  value: string
  peer: string
  peerValue: string
  /** value / peerValue, or why there is none. */
  ratio: string
}

export function printTable(figures: readonly Figure[]) {
  const head = ['figure', 'measured', 'peer', 'measured', 'ratio']
  const rows = [
    head,
    ...figures.map(({ what, value, peer, peerValue, ratio }) => [what, value, peer, peerValue, ratio]),
  ]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
}

export function ratio(value: number, peer: number): string {
  return (value / peer).toFixed(2)
}
