import { Box, Text } from 'ink'
import { drawQr, type QrMatrix } from '../drawing/qr.ts'
import type { QrPlan } from '../layout/plans.ts'

/** A QR to draw. */
export interface QrProps {
  matrix: QrMatrix
  plan: QrPlan
  colour: boolean
  /** Without colour: text is darker than the background. */
  inverted: boolean
}

/** The QR's rows; 1, for a sentence, when it does not fit. */
export function qrRows({ matrix, plan }: QrProps): number {
  return plan.fits ? Math.ceil((matrix.length + 2 * plan.quiet) / 2) : 1
}

/** A QR to scan, or the terminal size that it needs. */
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

/** With colour: black on white in every theme, which most phones need. */
function QrRow({ row, colour }: { row: string; colour: boolean }) {
  if (!colour) return <Text>{row}</Text>
  return (
    <Text color="#000000" backgroundColor="#ffffff">
      {row}
    </Text>
  )
}
