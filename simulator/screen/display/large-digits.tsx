import { Box } from 'ink'
import { Lines } from '../drawing/lines.tsx'

/** Something drawn large, with a row of air above and below where there is room for it. */
export function Drawn({ rows, airy }: { rows: readonly string[]; airy: boolean }) {
  return (
    <Box flexDirection="column" marginY={airy ? 1 : 0} flexShrink={0}>
      <Lines rows={rows} />
    </Box>
  )
}
