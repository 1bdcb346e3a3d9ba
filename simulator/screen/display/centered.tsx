import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Area } from '../drawing/area.ts'

interface Props {
  room: Area
  /** Rows of the content. */
  height: number
  children: ReactNode
}

/**
 * Centers rows vertically at a whole row: Ink rounds half a row one way for texts and the other way for boxes, which
 * then overlap. If the content does not fit, its first rows stay.
 */
export function Centered({ room, height, children }: Props) {
  return (
    <Box
      flexDirection="column"
      width={room.columns}
      height={room.rows}
      paddingTop={Math.max(0, Math.floor((room.rows - height) / 2))}
      overflow="hidden"
    >
      <Box flexDirection="column" alignItems="center" width={room.columns} flexShrink={0}>
        {children}
      </Box>
    </Box>
  )
}
