import { Box, Text } from 'ink'
import { useMemo } from 'react'
import type { Display } from '../device/display.ts'
import { Footer } from './footer.tsx'
import { Help } from './help.tsx'
import { type Layout, layoutOf, SMALLEST } from './layout.ts'
import { Log } from './log.tsx'
import { Panel } from './panel.tsx'
import { encodeQr } from './qr.ts'
import { QrCode } from './screens/qr-code.tsx'
import { QrCaption, type ScreenProps } from './screens/screen.tsx'
import { themeOf } from './theme.ts'
import type { ViewModel } from './view-model.ts'
import { wordsOf } from './words.ts'

/** The whole picture, from plain data. */
export function View({ model }: { model: ViewModel }) {
  const { columns, rows, colour, speaker, help } = model
  const { display } = speaker
  const qrText = qrTextOf(display)
  const matrix = useMemo(() => (qrText === undefined ? undefined : encodeQr(qrText)), [qrText])
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return <TooSmall />

  const layout = layoutOf({ columns, rows, display, qrModules: matrix?.length, help })
  const qr = matrix && layout.qr ? { matrix, plan: layout.qr } : undefined
  const screen = {
    display,
    words: wordsOf(speaker.settings.lang),
    theme: themeOf(colour),
    colour,
    online: speaker.link === 'welcomed',
    qr,
  }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Body model={model} layout={layout} screen={screen} />
      <Footer extraKeys={model.extraKeys} text={model.footer} />
    </Box>
  )
}

function Body({ model, layout, screen }: { model: ViewModel; layout: Layout; screen: ScreenProps }) {
  if (layout.mode === 'bare') return <BareQr layout={layout} screen={screen} />
  const panel = <Panel {...screen} speaker={model.speaker} area={layout.panel} />
  return (
    <Box flexDirection={layout.mode === 'side' ? 'row' : 'column'} flexGrow={1} overflow="hidden">
      {panel}
      {layout.log && model.help ? <Help area={layout.log} extraKeys={model.extraKeys} /> : undefined}
      {layout.log && !model.help ? (
        <Log area={layout.log} log={model.log} extraLines={model.extraLines} />
      ) : undefined}
    </Box>
  )
}

/** Everything but the QR and what the payer must compare has made way. */
function BareQr({ layout, screen }: { layout: Layout; screen: ScreenProps }) {
  const { display, words, colour, qr } = screen
  return (
    <Box flexDirection="column" alignItems="center" height={layout.panel.rows} overflow="hidden">
      {display.screen === 'qr' ? <QrCaption display={display} words={words} /> : undefined}
      {qr ? <QrCode {...qr} colour={colour} /> : undefined}
    </Box>
  )
}

function TooSmall() {
  return (
    <Text>
      The speaker needs a terminal of {SMALLEST.columns}x{SMALLEST.rows} or more.
    </Text>
  )
}

function qrTextOf(display: Display): string | undefined {
  switch (display.screen) {
    case 'qr':
      return display.qr
    case 'idle':
      return display.qr === '' ? undefined : display.qr
    case 'off':
    case 'code':
    case 'paid':
    case 'missed':
    case 'unregistered':
    case 'connecting':
    case 'no_network':
      return undefined
  }
}
