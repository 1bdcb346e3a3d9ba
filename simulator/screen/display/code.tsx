import { Text } from 'ink'
import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Display } from '../../speaker/device/display.ts'
import type { Area } from '../drawing/area.ts'
import { clockText } from '../drawing/clock-text.ts'
import { fittingDigits } from '../drawing/digits.ts'
import type { Theme } from '../drawing/theme.ts'
import { Centered } from './centered.tsx'
import { LargeDigits } from './large-digits.tsx'
import { Message } from './message.tsx'
import type { Words } from './words.ts'

interface Props {
  display: Extract<Display, { screen: 'code' }>
  words: Words
  theme: Theme
  room: Area
}

/** Title and countdown. */
const ROWS_AROUND = 2

/** The verification code, in large digits to read and in text to copy; in text alone while a payment is shown. */
export function CodeScreen({ display: { code, secondsLeft, amount }, words, theme, room }: Props) {
  if (amount !== undefined)
    return (
      <Message
        theme={theme}
        room={room}
        sign={{ text: '✓', meaning: 'good' }}
        title={`${words.received} ${formatAmount(amount)}`}
        amount={amount}
        lines={[`${words.code} ${code}`, words.timeLeft(clockText(secondsLeft))]}
      />
    )
  const rows = room.rows - ROWS_AROUND
  const digits = fittingDigits(code, { columns: room.columns, rows }) ?? []
  const spaced = rows - digits.length >= 2
  return (
    <Centered room={room} height={ROWS_AROUND + digits.length + (spaced ? 2 : 0)}>
      <Text bold>{words.code}</Text>
      <LargeDigits rows={digits} gaps={{ above: spaced, below: spaced }} theme={theme} />
      <Text wrap="truncate">
        {code} · {words.timeLeft(clockText(secondsLeft))}
      </Text>
    </Centered>
  )
}
