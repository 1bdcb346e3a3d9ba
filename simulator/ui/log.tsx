import { Box, Text } from 'ink'
import type { Area } from './layout.ts'
import { type LogLine, timeOfDay } from './log-lines.ts'
import { Pane } from './pane.tsx'

interface Props {
  area: Area
  log: readonly LogLine[]
  extraLines: readonly string[] | undefined
}

/** The last of what happened, newest last; what the embedder tells stands above it and has the larger part. */
export function Log({ area, log, extraLines }: Props) {
  const textColumns = area.columns - 2
  if (!extraLines) return <Column area={area} rows={log.slice(-area.rows).map((line) => asRow(line))} />
  const logRows = area.rows >= 12 ? Math.floor(area.rows / 3) : 0
  const extraRows = area.rows - logRows
  const extra = extraLines.flatMap((line) => wrap(line, textColumns)).slice(-extraRows)
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Column
        area={{ columns: area.columns, rows: extraRows }}
        rows={extra.map((text) => ({ text, dim: false }))}
      />
      {logRows > 0 ? (
        <Column
          area={{ columns: area.columns, rows: logRows }}
          rows={log.slice(-logRows).map((line) => asRow(line))}
        />
      ) : undefined}
    </Box>
  )
}

interface Row {
  text: string
  dim: boolean
}

function asRow({ atMs, mark, text }: LogLine): Row {
  return { text: `${timeOfDay(atMs)} ${mark} ${text}`, dim: mark !== '•' }
}

function Column({ area, rows }: { area: Area; rows: readonly Row[] }) {
  return (
    <Pane area={area}>
      {rows.map(({ text, dim }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the last lines have no identity but their place
        <Text key={index} dimColor={dim} wrap="truncate">
          {text === '' ? ' ' : text}
        </Text>
      ))}
    </Pane>
  )
}

/** Breaks at spaces where it can: a command line must stay readable in a narrow column. */
export function wrap(line: string, columns: number): string[] {
  const rows: string[] = []
  let rest = line
  while (rest.length > columns) {
    const space = rest.lastIndexOf(' ', columns)
    const end = space > columns / 2 ? space : columns
    rows.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return [...rows, rest]
}
