import { Box, Text } from 'ink'
import type { ReactNode } from 'react'

interface EdgeProps {
  columns: number
  /** The ends of the edge: rounded corners, or plain ends of a rule. */
  ends: readonly [string, string]
  /** What is written into the edge; `left` gives way, `right` does not. */
  left?: ReactNode
  right?: ReactNode
}

/** A border line with something written into it. */
export function Edge({ columns, ends: [start, end], left, right }: EdgeProps) {
  return (
    <Box width={columns} height={1} flexShrink={0} overflow="hidden">
      <End text={start} />
      {left === undefined ? undefined : <Written>{left}</Written>}
      <Box flexGrow={1} flexShrink={0} flexBasis={1} height={1} overflow="hidden">
        <Text dimColor wrap="hard">
          {'─'.repeat(columns)}
        </Text>
      </Box>
      {right === undefined ? undefined : <Written firm>{right}</Written>}
      <End text={end} />
    </Box>
  )
}

function End({ text }: { text: string }) {
  return (
    <Box flexShrink={0}>
      <Text dimColor>{text}</Text>
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
