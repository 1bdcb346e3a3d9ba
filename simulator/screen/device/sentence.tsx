import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Area } from '../drawing/area.ts'
import { cellsOf, shortened, wrap } from '../drawing/text.ts'
import { statusLines } from './indicators.ts'

interface Props {
  speaker: SpeakerSnapshot
  canAct: boolean
  room: Area
}

/** The sentence as far as it has been spoken; while the speaker is silent, its status. */
export function Sentence({ speaker, canAct, room }: Props) {
  return (
    <Box
      flexDirection="column"
      justifyContent={room.rows > 2 ? 'center' : 'flex-start'}
      width={room.columns}
      height={room.rows}
      overflow="hidden"
    >
      {speaker.sounding ? (
        <Heard sounding={speaker.sounding} room={room} />
      ) : (
        <Note lines={statusLines(speaker, canAct)} room={room} />
      )}
    </Box>
  )
}

function Heard({ sounding, room }: { sounding: NonNullable<SpeakerSnapshot['sounding']>; room: Area }) {
  if (sounding.kind === 'beep') return <Text bold>Beep! Beep! Beep!</Text>
  const { n, text, said } = sounding
  const number = `#${n} `
  const whole = number + text
  const wholeRows = wrap(whole, room.columns)
  if (whole.startsWith(number + said) && wholeRows.length <= room.rows)
    return partedRows(whole, wholeRows, number.length, said.length).map(([before, bold, after], index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
      <Text key={index} wrap="truncate">
        <Text dimColor>{before}</Text>
        <Text bold>{bold}</Text>
        <Text dimColor>{after}</Text>
      </Text>
    ))
  // Follow the voice: when not everything fits, drop the beginning.
  const rows = wrap(number + said, room.columns).slice(-room.rows)
  return (
    <Text bold wrap="truncate">
      {rows.join('\n')}
    </Text>
  )
}

/** Splits each row into three parts: before, spoken, still to come. */
function partedRows(whole: string, rows: readonly string[], begin: number, length: number): string[][] {
  let from = 0
  return rows.map((row) => {
    // A row break removes only spaces: find where this row starts in the whole text.
    while (whole[from] === ' ' && row[0] !== ' ') from += 1
    const [start, end] = [begin, begin + length].map((at) => Math.max(0, at - from))
    from += row.length
    return [row.slice(0, start), row.slice(start, end), row.slice(end)]
  })
}

/** One line per row if all fit. In a single row the first line is shortened in favour of the others. */
function Note({ lines, room }: { lines: readonly string[]; room: Area }) {
  if (lines.length === 0) return <Text dimColor>silent</Text>
  return (
    <Text wrap="truncate">
      {(room.rows === 1 ? [inOneRow(lines, room.columns)] : inRows(lines, room)).join('\n')}
    </Text>
  )
}

function inRows(lines: readonly string[], { columns, rows }: Area): string[] {
  const wrapped = lines.flatMap((line) => wrap(line, columns))
  return wrapped.length <= rows ? wrapped : lines.map((line) => shortened(line, columns)).slice(0, rows)
}

function inOneRow([first = '', ...rest]: readonly string[], columns: number): string {
  const after = rest.map((line) => ` · ${line}`).join('')
  return shortened(first, columns - cellsOf(after)) + after
}
