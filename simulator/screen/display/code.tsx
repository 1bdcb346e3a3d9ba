import { Text } from 'ink'
import type { Display } from '../../speaker/device/display.ts'
import { fittingDigits } from '../drawing/digits.ts'
import type { Area } from '../layout/layout.ts'
import { Drawn } from './large-digits.tsx'
import { Middle } from './centered.tsx'
import { minutesAndSeconds, type Words } from './words.ts'

interface Props {
  display: Extract<Display, { screen: 'code' }>
  words: Words
  room: Area
}

/** Title and countdown. */
const ROWS_AROUND = 2

/** The verification code: large, for the eye; small below, for whoever copies it from the terminal. */
export function CodeScreen({ display: { code, secondsLeft }, words, room }: Props) {
  const rows = room.rows - ROWS_AROUND
  const digits = fittingDigits(code, ['large', 'medium', 'small'], { columns: room.columns, rows }) ?? []
  const airy = rows - digits.length >= 2
  return (
    <Middle room={room} height={ROWS_AROUND + digits.length + (airy ? 2 : 0)}>
      <Text bold>{words.code}</Text>
      <Drawn rows={digits} airy={airy} />
      <Text wrap="truncate">
        {code} · {words.timeLeft(minutesAndSeconds(secondsLeft))}
      </Text>
    </Middle>
  )
}
