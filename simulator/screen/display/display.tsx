import { Text } from 'ink'
import { formatAmount } from '../../../protocol/money/amount.ts'
import type { Display } from '../../speaker/device/display.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Area } from '../drawing/area.ts'
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
  serial: string
  words: Words
  theme: Theme
  /** Payments reach a welcomed speaker alone. */
  link: SpeakerSnapshot['link']
  /** Milliseconds until the next attempt to connect; undefined when none is planned. */
  retryInMs: number | undefined
  /** Whether a sentence could be heard now. */
  audible: boolean
  /** The QR of this display. */
  qr: QrProps | undefined
  room: Area
}

/** The content of the device's display. */
export function DisplayView({ display, serial, words, retryInMs, ...given }: DisplayProps) {
  const { theme, room, link, audible, qr } = given
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
      return <PaymentQr {...look} display={display} words={words} qr={qr} />
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
      return <IdleScreen {...look} name={display.name} link={link} audible={audible} words={words} qr={qr} />
    case 'locked':
      return (
        <Message
          {...look}
          sign={{ text: '■', meaning: 'notice' }}
          title={words.locked}
          lines={[display.name, words.silent, lockedHelp(words, link)]}
        />
      )
    case 'unregistered':
      return (
        <Message
          {...look}
          sign={{ text: '○', meaning: 'notice' }}
          title={words.unregistered}
          lines={unregisteredLines(words, serial, room)}
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

/** What to do about a lock. Without a line, the hub may have lifted it meanwhile. */
function lockedHelp(words: Words, link: SpeakerSnapshot['link']): string {
  if (link === 'welcomed') return words.askToUnlock
  return link === 'offline' ? `✕ ${words.noNetwork}` : words.connecting
}

/** Rows that the steps need: title, text, an empty row, serial, steps, and one to spare. */
const ROWS_WITH_STEPS = 8

/** What to do with a new speaker: in steps if there is room. */
function unregisteredLines(words: Words, serial: string, room: Area): string[] {
  const known = words.serial(serial)
  if (room.rows < ROWS_WITH_STEPS) return [words.register, ...(room.rows > 3 ? [known] : [])]
  return [words.register, '', known, ...words.steps]
}
