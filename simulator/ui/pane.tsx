import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Area } from './layout.ts'

/** Lines in a part of the terminal; what does not fit is cut off. */
export function Pane({ area, children }: { area: Area; children: ReactNode }) {
  return (
    <Box
      flexDirection="column"
      paddingX={1}
      width={area.columns}
      height={area.rows}
      flexShrink={0}
      overflow="hidden"
    >
      {children}
    </Box>
  )
}
