import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Area } from '../drawing/area.ts'

interface Props {
  room: Area
  /** The rows of what is inside. */
  height: number
  children: ReactNode
}

/**
 * Puts rows into the middle of the screen, at a whole row: half a row is rounded one way for texts and the
 * other for boxes, which then lie on top of each other. Where there is no room for all, the first rows stay.
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
