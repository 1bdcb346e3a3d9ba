import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Area } from './area.ts'
import { type BorderStyle, FAINT } from './border.ts'
import { Edge } from './edge.tsx'

interface FramedProps {
  area: Area
  top?: { left?: ReactNode; right?: ReactNode }
  bottom?: { left?: ReactNode; right?: ReactNode }
  border?: BorderStyle
  children: ReactNode
}

/** A frame with texts on its edges; content that does not fit is cut off. */
export function Framed({ area, top, bottom, border = FAINT, children }: FramedProps) {
  return (
    <Box flexDirection="column" width={area.columns} height={area.rows} flexShrink={0} overflow="hidden">
      <Edge columns={area.columns} ends={['╭─', '─╮']} border={border} {...top} />
      <Box
        flexDirection="column"
        borderStyle="round"
        borderTop={false}
        borderBottom={false}
        {...sidesOf(border)}
        paddingX={1}
        width={area.columns}
        height={area.rows - 2}
        flexShrink={0}
        overflow="hidden"
      >
        {children}
      </Box>
      <Edge columns={area.columns} ends={['╰─', '─╯']} border={border} {...bottom} />
    </Box>
  )
}

function sidesOf({ color, dimColor = false }: BorderStyle) {
  return { borderDimColor: dimColor, ...(color === undefined ? {} : { borderColor: color }) }
}
