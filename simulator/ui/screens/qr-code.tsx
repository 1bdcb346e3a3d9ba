import { Box, Text } from 'ink'
import type { QrPlan } from '../layout.ts'
import { drawQr, type QrMatrix } from '../qr.ts'

interface Props {
  matrix: QrMatrix
  plan: QrPlan
  colour: boolean
}

/** A QR to scan; where it can't be drawn whole, how large the terminal must be for it. */
export function QrCode({ matrix, plan, colour }: Props) {
  if (!plan.fits) {
    const { columns, rows } = plan.needs
    return (
      <Text dimColor>
        (the QR needs a terminal of {columns}x{rows} or more)
      </Text>
    )
  }
  return (
    <Box flexDirection="column" flexShrink={0}>
      {drawQr(matrix, plan.quiet, colour).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the picture is its position
        <QrRow key={index} row={row} colour={colour} />
      ))}
    </Box>
  )
}

/** Black on white whatever the terminal's theme, as most phones want it. */
function QrRow({ row, colour }: { row: string; colour: boolean }) {
  if (!colour) return <Text>{row}</Text>
  return (
    <Text color="#000000" backgroundColor="#ffffff">
      {row}
    </Text>
  )
}
