import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Display } from '../../speaker/device/display.ts'
import type { Area } from '../drawing/area.ts'
import type { Theme } from '../drawing/theme.ts'
import { Message } from './message.tsx'
import type { Words } from './words.ts'

interface Props {
  display: Extract<Display, { screen: 'payment' | 'paid' }>
  words: Words
  theme: Theme
  room: Area
}

/** The amount of a payment in large digits, and whether it has paid the bill that was on the screen. */
export function PaymentScreen({ display, words, theme, room }: Props) {
  const { amount, alsoPaid } = display
  const isBill = display.screen === 'paid'
  const bill = isBill ? ` · ${words.bill} ${display.bill}` : ''
  const also = alsoPaid
    ? [`${words.paid}: ${formatAmount(alsoPaid.amount)} · ${words.bill} ${alsoPaid.bill}`]
    : []
  return (
    <Message
      theme={theme}
      room={room}
      sign={{ text: '✓', meaning: 'good' }}
      title={isBill ? words.paid : words.received}
      amount={amount}
      lines={[`${formatAmount(amount)}${bill}`, ...also]}
    />
  )
}
