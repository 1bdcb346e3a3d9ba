import { Text } from 'ink'
import type { Area } from '../drawing/area.ts'
import { fittingDigits } from '../drawing/digits.ts'
import { formatAmount } from '../drawing/money.ts'
import { printable } from '../drawing/text.ts'
import { type Meaning, paint, type Theme } from '../drawing/theme.ts'
import { Centered } from './centered.tsx'
import { LargeDigits } from './large-digits.tsx'

interface MessageProps {
  theme: Theme
  room: Area
  sign?: { text: string; meaning: Meaning }
  title: string
  /** Shown in large digits if they fit. */
  amount?: string
  lines: readonly string[]
}

/** A title with an optional amount and lines below it. */
export function Message({ theme, room, sign, title, amount, lines }: MessageProps) {
  const rows = room.rows - 1 - lines.length
  const digits = amount === undefined ? undefined : amountDigits(amount, { columns: room.columns, rows })
  const spaced = digits !== undefined && rows - digits.length >= 2
  const height = 1 + (digits?.length ?? 0) + (spaced ? 2 : 0) + lines.length
  return (
    <Centered room={room} height={height}>
      <Text bold wrap="truncate">
        {sign ? <Text {...paint(theme, sign.meaning)}>{sign.text} </Text> : ''}
        {title}
      </Text>
      {digits ? <LargeDigits rows={digits} spaced={spaced} /> : undefined}
      {lines.map((line) => (
        <Text key={line} wrap="truncate">
          {printable(line)}
        </Text>
      ))}
    </Centered>
  )
}

/** An amount in large digits, its thousands grouped. */
export function amountDigits(amount: string, room: Area): string[] | undefined {
  return fittingDigits(formatAmount(amount), ['large', 'medium', 'small'], room)
}
