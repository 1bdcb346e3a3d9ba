import { Box, Text } from 'ink'
import { type ReactNode, useMemo } from 'react'
import type { FeedItem } from '../../speaker/feed.ts'
import type { Area } from '../drawing/area.ts'
import { Edge } from '../drawing/edge.tsx'
import { Framed } from '../drawing/framed.tsx'
import { Lines } from '../drawing/lines.tsx'
import { paint, type Theme } from '../drawing/theme.ts'
import { entriesOf, type LogEntry } from './entries.ts'
import { type LogLine, logHeader } from './lines.ts'
import type { LogReading } from './reading.ts'
import { type Filter, rowText } from './rows.ts'
import { holds, partsOf } from './search.ts'
import { type LogWindow, windowLines, windowOf } from './window.ts'

interface Props {
  area: Area
  log: readonly FeedItem[]
  reading: LogReading
  /** Whether somebody reads it: a line is marked. */
  isOpen: boolean
  theme: Theme
  /** Whether to draw a frame (beside the device) or only a line above (below it). */
  framed: boolean
  /** Shown faintly below the log, while it leaves that many rows. */
  hints?: readonly string[]
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

/** The room for lines within the log's area. */
export function logInside(area: Area, framed: boolean): Area {
  const { columns, rows, hasHeader } = insideOf(area, framed)
  return { columns, rows: rows - (hasHeader ? 1 : 0) }
}

function insideOf(area: Area, framed: boolean): Area & { hasHeader: boolean } {
  const rows = area.rows - (framed ? 2 : 1)
  return { columns: area.columns - (framed ? FRAME : PADDING), rows, hasHeader: rows >= ROWS_WITH_HEADER }
}

/** The protocol log, newest last: direction, type, number, stage, size. */
export function Protocol({ area, log, reading, isOpen, theme, framed, hints = [] }: Props) {
  const { kinds, only, unfolded, search } = reading
  const entries = useMemo(() => entriesOf(log, { kinds, only, unfolded }), [log, kinds, only, unfolded])
  const inside = insideOf(area, framed)
  const room = logInside(area, framed)
  const window = windowOf(entries, log, reading, room)
  const lines = windowLines(entries, window, room)
  return (
    <Titled
      area={area}
      framed={framed}
      title={only === '' ? TITLES[kinds] : `${kinds === 'all' ? 'lines' : kinds} with “${only}”`}
      status={isOpen ? statusOf(entries, window, search) : undefined}
      newer={isOpen ? newerText(entries, window, reading) : undefined}
    >
      {inside.hasHeader ? (
        <Text wrap="truncate" dimColor>
          {headerText(logHeader(room.columns))}
        </Text>
      ) : undefined}
      {lines.length === 0 ? (
        <Text dimColor wrap="truncate">
          {log.length === 0 || only === '' ? EMPTY[kinds] : 'no line has this text'}
        </Text>
      ) : undefined}
      {lines.map((line, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of the window is its place
          key={index}
          line={line}
          theme={theme}
          search={search}
          isMarked={isOpen && line.entry === window.marked}
          columns={room.columns}
        />
      ))}
      {room.rows - Math.max(1, lines.length) > hints.length + 1 ? (
        <>
          <Box flexGrow={1} />
          <Lines rows={hints} dim />
        </>
      ) : undefined}
    </Titled>
  )
}

interface TitledProps {
  area: Area
  framed: boolean
  title: string
  status: string | undefined
  newer: string | undefined
  children: ReactNode
}

function Titled({ area, framed, title, status, newer, children }: TitledProps) {
  const left = <Text wrap="truncate">{title}</Text>
  if (framed)
    return (
      <Framed
        area={area}
        top={{ left }}
        bottom={{
          left: status === undefined ? undefined : <Text wrap="truncate">{status}</Text>,
          right: newer === undefined ? undefined : <Text bold>{newer}</Text>,
        }}
      >
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

/** "3 of 17 with “text”", or "line 212 of 400". */
function statusOf(entries: readonly LogEntry[], { marked }: LogWindow, search: string): string {
  if (search === '') return entries.length === 0 ? 'no lines' : `line ${marked + 1} of ${entries.length}`
  const matches = entries.flatMap(({ row }, index) => (holds(rowText(row), search) ? [index] : []))
  const place = matches.indexOf(marked)
  if (place >= 0) return `${place + 1} of ${matches.length} with “${search}”`
  return `${matches.length === 0 ? 'no line' : matches.length} with “${search}”`
}

/** "12 newer", when lines have arrived below the window. */
function newerText(entries: readonly LogEntry[], { to }: LogWindow, { at }: LogReading): string | undefined {
  if (!at) return 'follows'
  const newer = entries.length - to
  return newer === 0 ? undefined : `${newer} newer ↓`
}

function headerText({ time, mark, text }: LogLine): string {
  return `${time} ${mark} ${text}`
}

interface LineProps {
  line: LogLine
  theme: Theme
  search: string
  isMarked: boolean
  columns: number
}

function Line({ line, theme, search, isMarked, columns }: LineProps) {
  const rest = columns - line.time.length - line.mark.length - 2
  return (
    <Text wrap="truncate" inverse={isMarked}>
      <Text dimColor={!isMarked}>{line.time}</Text>
      <Text {...paint(theme, line.meaning)}> {line.mark} </Text>
      {partsOf(isMarked ? line.text.padEnd(rest) : line.text, search).map(({ text, isMatch }, index) =>
        isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
          <Text key={index} bold underline inverse={!isMarked}>
            {text}
          </Text>
        ) : (
          text
        ),
      )}
    </Text>
  )
}
