import { Box, Text } from 'ink'
import type { Display } from '../../device/display.ts'
import { bigDigits } from '../big-digits.ts'
import type { QrPlan } from '../layout.ts'
import { formatAmount } from '../money.ts'
import type { QrMatrix } from '../qr.ts'
import type { Theme } from '../theme.ts'
import type { Words } from '../words.ts'
import { QrCode } from './qr-code.tsx'

export interface ScreenProps {
  display: Display
  words: Words
  theme: Theme
  colour: boolean
  /** Whether payments reach the speaker. */
  online: boolean
  /** The QR that belongs to the display, ready to draw. */
  qr: { matrix: QrMatrix; plan: QrPlan } | undefined
}

/** The speaker's screen: one thing at a time. */
export function Screen({ display, words, theme, colour, online, qr }: ScreenProps) {
  const code = qr ? <QrCode {...qr} colour={colour} /> : undefined
  switch (display.screen) {
    case 'off':
      return <Text> </Text>
    case 'code':
      return <CodeScreen code={display.code} secondsLeft={display.secondsLeft} words={words} theme={theme} />
    case 'paid':
      return (
        <Message
          title={`✓ ${words.paid}`}
          color={theme.good}
          lines={[formatAmount(display.amount), `${words.bill} ${display.bill}`]}
        />
      )
    case 'qr':
      return (
        <>
          <QrCaption display={display} words={words} />
          {code}
        </>
      )
    case 'missed':
      return (
        <Message
          title={`! ${words.missed(display.count)}`}
          color={theme.notice}
          lines={[formatAmount(display.amount), words.notSpoken]}
        />
      )
    case 'idle':
      return (
        <>
          <IdleCaption
            name={display.name}
            online={online}
            scannable={qr?.plan.fits === true}
            words={words}
            theme={theme}
          />
          {code}
        </>
      )
    case 'unregistered':
      return <Message title={words.unregistered} color={theme.notice} lines={[words.register]} />
    case 'connecting':
      return <Message title={words.connecting} color={undefined} lines={[]} />
    case 'no_network':
      return (
        <Message title={`✕ ${words.noNetwork}`} color={theme.bad} lines={[words.silent, display.reason]} />
      )
  }
}

/** Amount, bill and time in one line, the amount first: it is what payer and cashier compare. */
export function QrCaption({ display, words }: { display: Display & { screen: 'qr' }; words: Words }) {
  return (
    <Text wrap="truncate">
      <Text bold>{formatAmount(display.amount)}</Text> · {words.bill} {display.bill} ·{' '}
      {words.secondsLeft(display.secondsLeft)}
    </Text>
  )
}

interface IdleProps {
  name: string
  online: boolean
  scannable: boolean
  words: Words
  theme: Theme
}

/** A shop must see that its speaker is dumb before a customer has paid. */
function IdleCaption({ name, online, scannable, words, theme }: IdleProps) {
  if (!online)
    return (
      <Text bold {...paint(theme.bad)} wrap="truncate">
        ✕ {words.noNetwork} · {words.silent}
      </Text>
    )
  if (scannable) return <Text wrap="truncate">{words.scan}</Text>
  return <Message title={name} color={undefined} lines={[words.ready]} />
}

function CodeScreen(props: { code: string; secondsLeft: number; words: Words; theme: Theme }) {
  return (
    <>
      <Text bold>{props.words.code}</Text>
      <Box flexDirection="column" marginTop={1}>
        {bigDigits(props.code).map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the picture is its position
          <Text key={index} {...paint(props.theme.accent)} wrap="truncate">
            {row}
          </Text>
        ))}
      </Box>
      <Text>
        {props.code} · {props.words.secondsLeft(props.secondsLeft)}
      </Text>
    </>
  )
}

interface MessageProps {
  title: string
  color: string | undefined
  lines: readonly string[]
}

function Message({ title, color, lines }: MessageProps) {
  return (
    <>
      <Text bold {...paint(color)}>
        {title}
      </Text>
      {lines.map((line) => (
        <Text key={line} wrap="truncate">
          {line}
        </Text>
      ))}
    </>
  )
}

function paint(color: string | undefined): { color?: string } {
  return color === undefined ? {} : { color }
}
