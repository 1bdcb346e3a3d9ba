import { Box, Text } from 'ink'
import type { Area } from '../drawing/area.ts'
import { Framed } from '../drawing/framed.tsx'
import { Lines } from '../drawing/lines.tsx'
import { printable, wrap } from '../drawing/text.ts'

/** The rows that all lines need, with their frame. */
export function extraLinesRows(lines: readonly string[], columns: number, framed: boolean): number {
  const rows = lines.flatMap((line) => wrap(printable(line), columns - (framed ? 4 : 2)))
  return rows.length + (framed ? 2 : 0)
}

/** The embedder's lines, newest last; the oldest are dropped. */
export function ExtraLines({
  area,
  title,
  lines,
  framed,
}: {
  area: Area
  /** On the frame. */
  title: string
  lines: readonly string[]
  framed: boolean
}) {
  const columns = area.columns - (framed ? 4 : 2)
  const rows = area.rows - (framed ? 2 : 0)
  const shown = lines.flatMap((line) => wrap(printable(line), columns)).slice(-rows)
  if (framed)
    return (
      <Framed area={area} top={{ left: <Text bold>{title}</Text> }}>
        <Lines rows={shown} />
      </Framed>
    )
  return (
    <Box
      flexDirection="column"
      paddingX={1}
      width={area.columns}
      height={area.rows}
      flexShrink={0}
      overflow="hidden"
    >
      <Lines rows={shown} />
    </Box>
  )
}
