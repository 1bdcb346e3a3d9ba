import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { type BorderStyle, FAINT } from './border.ts'

interface EdgeProps {
  columns: number
  /** The two ends: rounded corners, or plain lines. */
  ends: readonly [string, string]
  /** The texts in the edge. `left` is shortened when there is no room; `right` is not. */
  left?: ReactNode
  right?: ReactNode
  border?: BorderStyle
}

/** A border line with text in it. */
export function Edge({ columns, ends: [start, end], left, right, border = FAINT }: EdgeProps) {
  return (
    <Box width={columns} height={1} flexShrink={0} overflow="hidden">
      <End text={start} border={border} />
      {left === undefined ? undefined : <Written>{left}</Written>}
      <Box flexGrow={1} flexShrink={0} flexBasis={1} height={1} overflow="hidden">
        <Text {...border} wrap="hard">
          {'─'.repeat(columns)}
        </Text>
      </Box>
      {right === undefined ? undefined : <Written firm>{right}</Written>}
      <End text={end} border={border} />
    </Box>
  )
}

function End({ text, border }: { text: string; border: BorderStyle }) {
  return (
    <Box flexShrink={0}>
      <Text {...border}>{text}</Text>
    </Box>
  )
}

function Written({ children, firm = false }: { children: ReactNode; firm?: boolean }) {
  return (
    <Box flexShrink={firm ? 0 : 1} paddingX={1} height={1} overflow="hidden">
      {children}
    </Box>
  )
}
