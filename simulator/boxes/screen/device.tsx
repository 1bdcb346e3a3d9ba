import { Box, Text } from 'ink'
import { wordsOf } from '../../screen/display/words.ts'
import type { Area } from '../../screen/drawing/area.ts'
import { borderOf } from '../../screen/drawing/border.ts'
import { fittingDigits } from '../../screen/drawing/digits.ts'
import { Framed } from '../../screen/drawing/framed.tsx'
import { ringOf } from '../../screen/drawing/grille.ts'
import { Lines } from '../../screen/drawing/lines.tsx'
import { shortened, wrap } from '../../screen/drawing/text.ts'
import { type Meaning, paint, type Theme, themeOf } from '../../screen/drawing/theme.ts'
import type { BoxSnapshot } from '../box.ts'
import { Display, linkRows } from './display.tsx'
import type { BoxModel } from './model.ts'

const KEYPAD = [' 1   2   3   ⌫ ', ' 4   5   6   C ', ' 7   8   9     ', '000  0       ↵ ']
const SENTENCE_ROWS = 3
/** How long a ring of the grille stands. */
const RING_MS = 250

/** The box as it stands on the counter. */
export function Device({ model, area }: { model: BoxModel; area: Area }) {
  const { snapshot, firmware, colour } = model
  const { power, state } = snapshot
  const theme = themeOf(colour)
  const inside = { columns: area.columns - 4, rows: area.rows - 2 }
  const faults = state.faults.length === 0 ? [] : wrap(`▲ ${state.faults.join(' · ')}`, inside.columns)
  const room = { columns: inside.columns, rows: inside.rows - faults.length }
  const meaning = power && state.playing ? 'good' : state.link.phase === 'offline' ? 'bad' : 'quiet'
  return (
    <Framed
      area={area}
      border={borderOf(theme, meaning)}
      top={{
        left: <Text bold>{state.config.serial}</Text>,
        right: <Light snapshot={snapshot} theme={theme} />,
      }}
      bottom={{ left: <Text wrap="truncate">{firmware.model}</Text> }}
    >
      <Front model={model} room={room} />
      <Lines rows={faults} />
    </Framed>
  )
}

function Light({ snapshot: { power, state }, theme }: { snapshot: BoxSnapshot; theme: Theme }) {
  const [sign, word, meaning]: [string, string, Meaning] = !power
    ? ['○', 'no power', 'quiet']
    : state.link.phase === 'online'
      ? ['●', 'online', 'good']
      : state.link.phase === 'connecting'
        ? ['○', 'connecting', 'notice']
        : ['✕', 'offline', 'bad']
  return (
    <Text>
      <Text {...paint(theme, meaning)}>{sign}</Text> {word}
    </Text>
  )
}

function Front({ model, room }: { model: BoxModel; room: Area }) {
  switch (model.firmware.picture) {
    case 'keypad': {
      const display = { columns: room.columns, rows: room.rows - SENTENCE_ROWS - KEYPAD.length }
      return (
        <>
          <Screen model={model} area={display} />
          <Sentence snapshot={model.snapshot} room={{ columns: room.columns, rows: SENTENCE_ROWS }} small />
          <Centred rows={KEYPAD} columns={room.columns} />
        </>
      )
    }
    case 'screen': {
      const display = { columns: room.columns, rows: room.rows - SENTENCE_ROWS }
      return (
        <>
          <Screen model={model} area={display} />
          <Sentence snapshot={model.snapshot} room={{ columns: room.columns, rows: SENTENCE_ROWS }} small />
        </>
      )
    }
    case 'digits':
      return <Horn model={model} room={room} digits={model.snapshot.state.digits || '0'} />
    case 'horn':
      return <Horn model={model} room={room} />
  }
}

/** A display with its border. */
function Screen({ model, area }: { model: BoxModel; area: Area }) {
  return (
    <Box
      borderStyle="single"
      borderDimColor
      width={area.columns}
      height={area.rows}
      flexShrink={0}
      overflow="hidden"
    >
      <Display model={model} room={{ columns: area.columns - 2, rows: area.rows - 2 }} />
    </Box>
  )
}

/** Digits of an LED above the grille, if it has any, and what is said below. */
function Horn({ model, room, digits }: { model: BoxModel; room: Area; digits?: string }) {
  const led =
    digits === undefined ? [] : (fittingDigits(digits, { columns: room.columns, rows: 7 }) ?? [digits])
  const shown = model.snapshot.power ? led : led.map(() => '')
  const above = shown.length === 0 ? [] : ['', ...shown, '']
  const rows = Math.max(3, Math.min(13, room.rows - above.length - SENTENCE_ROWS - 1))
  return (
    <>
      <Centred rows={above} columns={room.columns} />
      <Centred rows={grilleRows(model.snapshot, rows % 2 === 0 ? rows - 1 : rows)} columns={room.columns} />
      <Text> </Text>
      <Sentence snapshot={model.snapshot} room={{ columns: room.columns, rows: SENTENCE_ROWS }} />
    </>
  )
}

/** Rings run outwards while it speaks. */
function grilleRows({ power, state, nowMs }: BoxSnapshot, rows: number): string[] {
  const loud = power && state.playing ? Math.floor(nowMs / RING_MS) % 3 : -1
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: rows }, (_, column) => {
      const ring = ringOf(rows, row, column)
      return ring === undefined ? ' ' : ring % 3 === loud ? '●' : '•'
    }).join(' '),
  )
}

function Centred({ rows, columns }: { rows: readonly string[]; columns: number }) {
  return (
    <Box
      flexDirection="column"
      alignItems="center"
      width={columns}
      height={rows.length}
      flexShrink={0}
      overflow="hidden"
    >
      <Lines rows={rows} />
    </Box>
  )
}

/** What is heard; while it is silent, what is wrong with its line. */
function Sentence({ snapshot, room, small = false }: { snapshot: BoxSnapshot; room: Area; small?: boolean }) {
  const { power, state, nowMs } = snapshot
  const { playing, link, queue } = state
  const sign = small ? '◁))) ' : ''
  if (power && playing) {
    const waiting = queue.length === 0 ? '' : ` (+${queue.length})`
    const rows = wrap(`${sign}#${playing.n} ${playing.text}${waiting}`, room.columns)
    return <Rows rows={rows.slice(-room.rows)} room={room} bold />
  }
  const silent = small ? '◁' : 'silent'
  const rows =
    power && link.phase !== 'online' && !small ? linkRows(link, wordsOf('en'), nowMs, room) : [silent]
  return <Rows rows={rows.map((row) => shortened(row, room.columns))} room={room} />
}

function Rows({ rows, room, bold = false }: { rows: readonly string[]; room: Area; bold?: boolean }) {
  return (
    <Box flexDirection="column" width={room.columns} height={room.rows} flexShrink={0} overflow="hidden">
      <Lines rows={rows} bold={bold} />
    </Box>
  )
}
