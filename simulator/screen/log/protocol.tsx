import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import type { FeedItem } from '../../speaker/feed.ts'
import type { Area } from '../drawing/area.ts'
import { Edge } from '../drawing/edge.tsx'
import { Framed } from '../drawing/framed.tsx'
import { paint, type Theme } from '../drawing/theme.ts'
import { type LogLine, linesOf, logHeader } from './lines.ts'
import { type Filter, logRow } from './rows.ts'

interface Props {
  area: Area
  log: readonly FeedItem[]
  filter: Filter
  theme: Theme
  /** Whether to draw a frame (beside the device) or only a line above (below it). */
  framed: boolean
}

const TITLES: Readonly<Record<Filter, string>> = {
  all: 'packets and events',
  packets: 'packets',
  events: 'events',
}
/** The log begins when it is first shown: an empty log does not mean that nothing happened before. */
const EMPTY: Readonly<Record<Filter, string>> = {
  all: 'from now on, what happens',
  packets: 'from now on, packets',
  events: 'from now on, events',
}
/** From this height, the log has a header row. */
const ROWS_WITH_HEADER = 9
const PADDING = 2
const FRAME = 4

/** The protocol log, newest last: direction, type, number, stage, size. */
export function Protocol({ area, log, filter, theme, framed }: Props) {
  const rows = area.rows - (framed ? 2 : 1)
  const columns = area.columns - (framed ? FRAME : PADDING)
  const header = rows >= ROWS_WITH_HEADER ? [logHeader(columns)] : []
  const lines = lastLines(log, filter, { columns, rows: rows - header.length })
  return (
    <Titled area={area} framed={framed} title={TITLES[filter]}>
      {header.map((line) => (
        <Line key="header" line={line} theme={theme} dim />
      ))}
      {lines.length === 0 ? (
        <Text dimColor wrap="truncate">
          {EMPTY[filter]}
        </Text>
      ) : undefined}
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the last lines have no identity but their place
        <Line key={index} line={line} theme={theme} />
      ))}
    </Titled>
  )
}

function Titled({
  area,
  framed,
  title,
  children,
}: {
  area: Area
  framed: boolean
  title: string
  children: ReactNode
}) {
  const left = <Text wrap="truncate">{title}</Text>
  if (framed)
    return (
      <Framed area={area} top={{ left }}>
        {children}
      </Framed>
    )
  return (
    <Box flexDirection="column" width={area.columns} height={area.rows} flexShrink={0} overflow="hidden">
      <Edge columns={area.columns} ends={['──', '──']} left={left} />
      <Box flexDirection="column" paddingX={1} overflow="hidden">
        {children}
      </Box>
    </Box>
  )
}

/** The lines of the newest items; of the oldest shown item, only its end may fit. */
function lastLines(log: readonly FeedItem[], filter: Filter, { columns, rows }: Area): LogLine[] {
  const lines: LogLine[] = []
  for (let index = log.length - 1; index >= 0 && lines.length < rows; index -= 1) {
    const item = log[index]
    const row = item && logRow(item, filter)
    if (row) lines.unshift(...linesOf(row, columns))
  }
  return rows > 0 ? lines.slice(-rows) : []
}

function Line({ line, theme, dim = false }: { line: LogLine; theme: Theme; dim?: boolean }) {
  return (
    <Text wrap="truncate" dimColor={dim}>
      <Text dimColor>{line.time}</Text>
      <Text {...(line.failed ? paint(theme, 'bad') : {})}> {line.mark} </Text>
      {line.text}
    </Text>
  )
}
