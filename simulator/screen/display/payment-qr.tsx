import { Text } from 'ink'
import type { Display } from '../../speaker/device/display.ts'
import type { Area } from '../drawing/area.ts'
import { formatAmount } from '../drawing/money.ts'
import { cellsOf, printable, shortened } from '../drawing/text.ts'
import { Centered } from './centered.tsx'
import { LargeDigits } from './large-digits.tsx'
import { amountDigits } from './message.tsx'
import { QrCode, type QrProps, qrRows } from './qr-code.tsx'
import { minutesAndSeconds, type Words } from './words.ts'

type Qr = Extract<Display, { screen: 'qr' }>

interface Props {
  display: Qr
  words: Words
  qr: QrProps | undefined
  room: Area
}

/** Two lines, and the sentence that replaces the QR. */
const ROWS_AROUND = 3

/** A bill to pay: its QR, or its amount in large digits when the QR does not fit. */
export function PaymentQr({ display, words, qr, room }: Props) {
  if (qr?.plan.fits)
    return (
      <Centered room={room} height={1 + qrRows(qr)}>
        <QrCaption display={display} words={words} columns={room.columns} />
        <QrCode {...qr} />
      </Centered>
    )
  const rows = room.rows - ROWS_AROUND
  const digits = amountDigits(display.amount, { columns: room.columns, rows }) ?? []
  const spaced = rows - digits.length >= 2
  return (
    <Centered room={room} height={ROWS_AROUND + digits.length + (spaced ? 2 : 0)}>
      <Text wrap="truncate">
        <Text bold>{formatAmount(display.amount)}</Text> ·{' '}
        {words.timeLeft(minutesAndSeconds(display.secondsLeft))}
      </Text>
      <LargeDigits rows={digits} spaced={spaced} />
      <Text wrap="truncate">
        {words.bill} {printable(display.bill)}
      </Text>
      {qr ? <QrCode {...qr} /> : undefined}
    </Centered>
  )
}

/** Amount, bill and time in one line. A long bill is shortened: payer and cashier compare the amount and the time. */
export function QrCaption({ display, words, columns }: { display: Qr; words: Words; columns: number }) {
  const amount = formatAmount(display.amount)
  const bill = printable(display.bill)
  const time = words.timeLeft(minutesAndSeconds(display.secondsLeft))
  const named = `${words.bill} ${bill}`
  const room = columns - cellsOf(`${amount} ·  · ${time}`)
  return (
    <Text wrap="truncate">
      <Text bold>{amount}</Text> · {cellsOf(named) <= room ? named : shortened(bill, room)} · {time}
    </Text>
  )
}
