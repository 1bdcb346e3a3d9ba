import { Text } from 'ink'
import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Area } from '../drawing/area.ts'
import { fittingDigits } from '../drawing/digits.ts'
import { printable, wrap } from '../drawing/text.ts'
import { type Meaning, paint, type Theme } from '../drawing/theme.ts'
import { Band } from './band.tsx'
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

/** A title with an optional amount and lines below it. A title with a meaning is a band across the display. */
export function Message({ theme, room, sign, title, amount, lines }: MessageProps) {
  const text = sign ? `${sign.text} ${title}` : title
  const wrapped = lines.flatMap((line) => wrap(printable(line), room.columns))
  // Lines that do not fit with every word are cut at the display's edge.
  const fits = 1 + wrapped.length <= room.rows - (amount === undefined ? 0 : SMALLEST_DIGITS)
  const below = fits ? wrapped : lines.map(printable)
  const rows = room.rows - 1 - below.length
  const digits = amount === undefined ? undefined : amountDigits(amount, { columns: room.columns, rows })
  const freeRows = digits ? rows - digits.length : 0
  const gaps = { above: freeRows >= 1, below: freeRows >= 2 }
  const height = 1 + (digits?.length ?? 0) + Math.min(2, freeRows) + below.length
  const meaning = sign?.meaning ?? 'plain'
  // A band right above digits of its colour would be one shape with them.
  const hasBand = meaning !== 'plain' && (!digits || gaps.above)
  return (
    <Centered room={room} height={height}>
      {hasBand ? (
        <Band text={text} columns={room.columns} theme={theme} meaning={meaning} />
      ) : (
        <Text bold wrap="truncate">
          {sign ? <Text {...paint(theme, meaning)}>{sign.text} </Text> : ''}
          {title}
        </Text>
      )}
      {digits ? <LargeDigits rows={digits} gaps={gaps} theme={theme} meaning={meaning} /> : undefined}
      {below.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <Text key={index} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Centered>
  )
}

/** The rows of the smallest digits. */
const SMALLEST_DIGITS = 3

/** An amount in large digits, its thousands grouped. */
export function amountDigits(amount: string, room: Area): string[] | undefined {
  return fittingDigits(formatAmount(amount), room)
}
