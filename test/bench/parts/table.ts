import { percentile } from '../../support/percentile.ts'

/** A figure and its baseline, both measured in the same run. */
export interface Figure {
  what: string
  value: string
  peer: string
  peerValue: string
  /** value / peerValue. */
  ratio: string
  /** The goal for the ratio or the value, in words. */
  goal?: string
}

export function printTable(figures: readonly Figure[]) {
  const head = ['figure', 'measured', 'peer', 'measured', 'ratio', 'goal']
  const rows = [
    head,
    ...figures.map(({ what, value, peer, peerValue, ratio, goal = '' }) => [
      ...[what, value, peer, peerValue, ratio, goal],
    ]),
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
  return withDigits(value / peer, 2)
}

export function perSecond(value: number): string {
  return `${withDigits(value, 0)}/s`
}

/** A value that this would round to 0 keeps one digit, in the usual spelling. */
function withDigits(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 && value > 0 ? String(Number(value.toPrecision(1))) : text
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

export function microseconds(value: number): string {
  return `${value.toFixed(0)} µs`
}

/** The value below which `share` of the values lie. NaN for an empty list. */
export function shareOf(values: readonly number[], share: number): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    share,
  )
}
