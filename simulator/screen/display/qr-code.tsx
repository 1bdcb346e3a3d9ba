import { Box, Text } from 'ink'
import { drawQr, type QrMatrix } from '../drawing/qr.ts'
import type { QrPlan } from '../layout/plans.ts'

/** A QR, ready to draw. */
export interface QrProps {
  matrix: QrMatrix
  plan: QrPlan
  colour: boolean
  /** Without colour: the letters are darker than what is behind them. */
  inverted: boolean
}

/** The rows that it takes; one, for a sentence, where it does not fit. */
export function qrRows({ matrix, plan }: QrProps): number {
  return plan.fits ? Math.ceil((matrix.length + 2 * plan.quiet) / 2) : 1
}

/** A QR to scan; where it can't be drawn whole, how large the terminal must be for it. */
export function QrCode({ matrix, plan, colour, inverted }: QrProps) {
  if (!plan.fits) {
    const { columns, rows } = plan.needs
    return (
      <Text dimColor wrap="truncate">
        {plan.zoomHelps ? '(press z for the QR alone)' : `(the QR needs ${columns}x${rows} or more)`}
      </Text>
    )
  }
  return (
    <Box flexDirection="column" flexShrink={0}>
      {drawQr(matrix, plan.quiet, colour || inverted ? 'dark' : 'light').map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the picture is its position
        <QrRow key={index} row={row} colour={colour} />
      ))}
    </Box>
  )
}

/** With colour black on white whatever the terminal's theme, as most phones want it. */
function QrRow({ row, colour }: { row: string; colour: boolean }) {
  if (!colour) return <Text>{row}</Text>
  return (
    <Text color="#000000" backgroundColor="#ffffff">
      {row}
    </Text>
  )
}
