import { Text } from 'ink'
import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Display } from '../../speaker/device/display.ts'
import type { Area } from '../drawing/area.ts'
import { clockText } from '../drawing/clock-text.ts'
import { cellsOf, printable, shortened } from '../drawing/text.ts'
import type { Theme } from '../drawing/theme.ts'
import { Centered } from './centered.tsx'
import { LargeDigits } from './large-digits.tsx'
import { amountDigits } from './message.tsx'
import { QrCode, type QrProps, qrRows } from './qr-code.tsx'
import type { Words } from './words.ts'

type Qr = Extract<Display, { screen: 'qr' }>

interface Props {
  display: Qr
  words: Words
  theme: Theme
  qr: QrProps | undefined
  room: Area
}

/** Two lines, and the sentence that replaces the QR. */
const ROWS_AROUND = 3

/** A bill to pay: its QR, or its amount in large digits when the QR does not fit. */
export function PaymentQr({ display, words, theme, qr, room }: Props) {
  if (qr?.plan.fits)
    return (
      <Centered room={room} height={captionRows(display, words, room, qr) + qrRows(qr)}>
        <QrCaption
          display={display}
          words={words}
          columns={room.columns}
          rows={captionRows(display, words, room, qr)}
        />
        <QrCode {...qr} />
      </Centered>
    )
  const rows = room.rows - ROWS_AROUND
  const digits = amountDigits(display.amount, { columns: room.columns, rows }) ?? []
  const spaced = rows - digits.length >= 2
  return (
    <Centered room={room} height={ROWS_AROUND + digits.length + (spaced ? 2 : 0)}>
      <Text wrap="truncate">
        <Text bold>{formatAmount(display.amount)}</Text> · {words.timeLeft(clockText(display.secondsLeft))}
      </Text>
      <LargeDigits rows={digits} gaps={{ above: spaced, below: spaced }} theme={theme} />
      <Text wrap="truncate">
        {words.bill} {printable(display.bill)}
      </Text>
      {qr ? <QrCode {...qr} /> : undefined}
    </Centered>
  )
}

function captionRows(display: Qr, words: Words, room: Area, qr: QrProps): 1 | 2 {
  return room.rows - qrRows(qr) > 1 && cellsOf(captionText(display, words)) > room.columns ? 2 : 1
}

/** Amount, bill and time, whole. */
function captionText({ amount, bill, secondsLeft }: Qr, words: Words): string {
  const time = words.timeLeft(clockText(secondsLeft))
  return `${formatAmount(amount)} · ${words.bill} ${printable(bill)} · ${time}`
}

interface CaptionProps {
  display: Qr
  words: Words
  columns: number
  /** With two rows, the bill has one of its own. */
  rows: 1 | 2
}

/**
 * Amount, bill and time. Where they share a row, a long bill is shortened: payer and cashier compare the amount and the
 * time.
 */
export function QrCaption({ display, words, columns, rows }: CaptionProps) {
  const amount = formatAmount(display.amount)
  const bill = printable(display.bill)
  const time = words.timeLeft(clockText(display.secondsLeft))
  const named = `${words.bill} ${bill}`
  if (rows === 2)
    return (
      <>
        <Text wrap="truncate">
          <Text bold>{amount}</Text> · {time}
        </Text>
        <Text wrap="truncate">{cellsOf(named) <= columns ? named : shortened(bill, columns)}</Text>
      </>
    )
  const room = columns - cellsOf(`${amount} ·  · ${time}`)
  return (
    <Text wrap="truncate">
      <Text bold>{amount}</Text> · {cellsOf(named) <= room ? named : shortened(bill, room)} · {time}
    </Text>
  )
}
