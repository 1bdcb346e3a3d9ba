import { Box } from 'ink'
import { Lines } from '../drawing/lines.tsx'

/** Large digits, with an empty row above and below when there is room. */
export function LargeDigits({ rows, spaced }: { rows: readonly string[]; spaced: boolean }) {
  return (
    <Box flexDirection="column" marginY={spaced ? 1 : 0} flexShrink={0}>
      <Lines rows={rows} />
    </Box>
  )
}
