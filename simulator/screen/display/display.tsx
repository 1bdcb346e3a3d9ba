import { Text } from 'ink'
import type { Display } from '../../speaker/device/display.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Area } from '../drawing/area.ts'
import { formatAmount } from '../drawing/money.ts'
import type { Theme } from '../drawing/theme.ts'
import { CodeScreen } from './code.tsx'
import { IdleScreen } from './idle.tsx'
import { Message } from './message.tsx'
import { PaymentScreen } from './payment.tsx'
import { PaymentQr } from './payment-qr.tsx'
import type { QrProps } from './qr-code.tsx'
import type { Words } from './words.ts'

export interface DisplayProps {
  display: Display
  words: Words
  theme: Theme
  /** Payments reach a welcomed speaker alone. */
  link: SpeakerSnapshot['link']
  /** Milliseconds until the next attempt to connect; undefined when none is planned. */
  retryInMs: number | undefined
  /** The QR of this display. */
  qr: QrProps | undefined
  room: Area
}

/** The content of the device's display. */
export function DisplayView({ display, words, theme, link, retryInMs, qr, room }: DisplayProps) {
  const look = { theme, room }
  switch (display.screen) {
    case 'off':
      return <Text> </Text>
    case 'code':
      return <CodeScreen {...look} display={display} words={words} />
    case 'payment':
    case 'paid':
      return <PaymentScreen {...look} display={display} words={words} />
    case 'qr':
      return <PaymentQr display={display} words={words} qr={qr} room={room} />
    case 'missed':
      return (
        <Message
          {...look}
          sign={{ text: '!', meaning: 'notice' }}
          title={words.missed(display.count)}
          amount={display.amount}
          lines={[formatAmount(display.amount), words.notSpoken]}
        />
      )
    case 'idle':
      return <IdleScreen {...look} name={display.name} link={link} words={words} qr={qr} />
    case 'unregistered':
      return (
        <Message
          {...look}
          sign={{ text: '○', meaning: 'notice' }}
          title={words.unregistered}
          lines={[words.register]}
        />
      )
    case 'connecting':
      return <Message {...look} title={words.connecting} lines={[]} />
    case 'no_network': {
      const retry = retryInMs === undefined ? [] : [words.retry(Math.ceil(retryInMs / 1000))]
      return (
        <Message
          {...look}
          sign={{ text: '✕', meaning: 'bad' }}
          title={words.noNetwork}
          lines={[words.silent, ...retry]}
        />
      )
    }
  }
}
