import { Box, Text } from 'ink'
import { type DigitSize, drawDigits } from '../../../../screen/drawing/digits.ts'
import { paint, type Theme } from '../../../../screen/drawing/theme.ts'
import type { PaySummary } from '../../report/lines.ts'

/** A figure that must be 0, in large digits below its name. */
export interface BigFigure {
  label: string
  value: number
  digits: readonly string[]
  columns: number
}

const GAP = 2
/** The sign and the space before a name. */
const SIGN_COLUMNS = 2

/** Lost and doubled payments: what a hub must never do. A payment that it has not answered is not lost by it. */
export function bigFigures({ lost, heardTwice }: PaySummary, rows: number): BigFigure[] {
  return [bigFigure('lost', lost, rows), bigFigure('doubled', heardTwice, rows)]
}

function bigFigure(label: string, value: number, rows: number): BigFigure {
  const digits = drawDigits(String(value), sizeFor(rows))
  return { label, value, digits, columns: Math.max(label.length + SIGN_COLUMNS, digits[0]?.length ?? 0) }
}

function sizeFor(rows: number): DigitSize {
  if (rows >= 50) return 'large'
  return rows >= 34 ? 'medium' : 'small'
}

/** The columns of the figures with the gap after each. */
export function ledgerColumns(figures: readonly BigFigure[]): number {
  return figures.reduce((sum, { columns }) => sum + columns + GAP, 0)
}

/** The names and the digits. */
export function ledgerRows(figures: readonly BigFigure[]): number {
  return figures.length === 0 ? 0 : 1 + Math.max(...figures.map(({ digits }) => digits.length))
}

export function LedgerView({ figures, theme }: { figures: readonly BigFigure[]; theme: Theme }) {
  return figures.map(({ label, value, digits, columns }) => {
    const style = paint(theme, value === 0 ? 'good' : 'bad')
    return (
      <Box key={label} flexDirection="column" width={columns + GAP} flexShrink={0}>
        <Text wrap="truncate" bold={value > 0}>
          {/* A tick beside "lost" would read as "yes, lost". */}
          {value > 0 && <Text {...style}>✕ </Text>}
          {label}
        </Text>
        {digits.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
          <Text key={index} wrap="truncate" bold={value > 0} {...style}>
            {row}
          </Text>
        ))}
      </Box>
    )
  })
}
