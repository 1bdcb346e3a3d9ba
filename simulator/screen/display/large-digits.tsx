import { Box } from 'ink'
import { Lines } from '../drawing/lines.tsx'

/** Something drawn large, with a row of air above and below where there is room for it. */
export function LargeDigits({ rows, spaced }: { rows: readonly string[]; spaced: boolean }) {
  return (
    <Box flexDirection="column" marginY={spaced ? 1 : 0} flexShrink={0}>
      <Lines rows={rows} />
    </Box>
  )
}
