import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../snapshot.ts'
import type { Area } from './layout.ts'
import { noteOf } from './look.ts'
import { cellsOf, shortened, wrap } from './text.ts'

interface Props {
  speaker: SpeakerSnapshot
  canAct: boolean
  room: Area
}

/** What is being heard, as far as it has been spoken; while it is silent, what it is about. */
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
        <Note lines={noteOf(speaker, canAct)} room={room} />
      )}
    </Box>
  )
}

function Heard({ sounding, room }: { sounding: NonNullable<SpeakerSnapshot['sounding']>; room: Area }) {
  if (sounding.kind === 'beep') return <Text bold>Beep! Beep! Beep!</Text>
  const { n, text, said } = sounding
  const number = `#${n} `
  const whole = number + text
  if (whole.startsWith(number + said) && wrap(whole, room.columns).length <= room.rows)
    return (
      <Text>
        <Text dimColor>{number}</Text>
        <Text bold>{said}</Text>
        <Text dimColor>{text.slice(said.length)}</Text>
      </Text>
    )
  // The voice is at the end of what has been said: where not all of it fits, the beginning makes way.
  const rows = wrap(number + said, room.columns).slice(-room.rows)
  return (
    <Text bold wrap="truncate">
      {rows.join('\n')}
    </Text>
  )
}

/** One line to a row where there is room for all; in one row, the first makes way for what is to come. */
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
