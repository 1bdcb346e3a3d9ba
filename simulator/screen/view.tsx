import { Box, Text } from 'ink'
import { type ReactNode, useMemo } from 'react'
import { Device } from './device/device.tsx'
import type { DisplayProps } from './display/display.tsx'
import { QrCaption } from './display/payment-qr.tsx'
import { QrCode } from './display/qr-code.tsx'
import { wordsOf } from './display/words.ts'
import type { Area } from './drawing/area.ts'
import { Lines } from './drawing/lines.tsx'
import { encodeQr } from './drawing/qr.ts'
import { printable, wrap } from './drawing/text.ts'
import { themeOf } from './drawing/theme.ts'
import { FAULTS_ROWS, FaultsMenu } from './keys/faults-menu.tsx'
import { Footer, type KeyLabel } from './keys/footer.tsx'
import { Help } from './keys/help.tsx'
import { offeredKeys } from './keys/keys.ts'
import { miniatureOf, ROWS_WITH_LOG, SMALLEST } from './layout/layout.ts'
import type { Layout } from './layout/plans.ts'
import { ExtraLines } from './log/extra-lines.tsx'
import { FrameView } from './log/frame-view.tsx'
import { Protocol } from './log/protocol.tsx'
import { keyContext, overlayArea, placementOf, qrTextOf } from './placement.ts'
import type { ViewModel } from './view-model.ts'

/** The whole screen, from plain data. */
export function View({ model }: { model: ViewModel }) {
  const { columns, rows, colour, speaker, ui } = model
  const { display, settings, link, retryInMs } = speaker
  const qrText = qrTextOf(speaker)
  const matrix = useMemo(() => (qrText === undefined ? undefined : encodeQr(qrText)), [qrText])
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return <TooSmall columns={columns} rows={rows} />

  const layout = placementOf(model, matrix?.length)
  const qr = matrix && layout.qr ? { matrix, plan: layout.qr, colour, inverted: ui.inverted } : undefined
  const theme = themeOf(colour)
  const screen = { display, words: wordsOf(settings.lang), theme, link, retryInMs, qr }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Body model={model} layout={layout} screen={screen} />
      {layout.foot === 'none' && ui.overlay === 'none' ? undefined : (
        <Footer columns={columns} keys={footerKeys(model, layout)} text={model.footer} />
      )}
    </Box>
  )
}

type DeviceDisplay = Omit<DisplayProps, 'room'>

interface BodyProps {
  model: ViewModel
  layout: Layout
  screen: DeviceDisplay
}

function Body({ model, layout, screen }: BodyProps) {
  const { ui, rows, columns } = model
  const overlay = ui.overlay === 'none' ? undefined : overlayArea(model, layout)
  if (overlay && overlay !== layout.log) return <OverAll model={model} area={overlay} screen={screen} />
  const { speaker, controls, beat } = model
  const beside = layout.mode !== 'stacked' && layout.log !== undefined
  return (
    <Box
      flexDirection={beside ? 'row' : 'column'}
      height={layout.foot === 'none' ? rows : rows - 1}
      width={columns}
      overflow="hidden"
    >
      {layout.mode === 'bare' ? (
        <BareQr area={layout.device.area} screen={screen} />
      ) : (
        <Device speaker={speaker} plan={layout.device} screen={screen} canAct={controls} beat={beat} />
      )}
      {overlay ? <Overlay model={model} area={overlay} screen={screen} /> : undefined}
      {layout.log && !overlay ? (
        <Log model={model} area={layout.log} screen={screen} framed={beside} />
      ) : undefined}
      {layout.foot === 'hint' ? (
        <Text dimColor wrap="truncate">
          {` (the protocol needs ${ROWS_WITH_LOG} rows)`}
        </Text>
      ) : undefined}
    </Box>
  )
}

interface OverlayProps {
  model: ViewModel
  area: Area
  screen: DeviceDisplay
}

/** An overlay that covers everything. Above the list of faults a small device stays, to show their effect. */
function OverAll({ model, area, screen }: OverlayProps) {
  const plan = model.ui.overlay === 'faults' ? miniatureOf(area, FAULTS_ROWS) : undefined
  if (!plan) return <Overlay model={model} area={area} screen={screen} />
  const { speaker, controls, beat } = model
  const small = { ...screen, qr: undefined }
  return (
    <Box flexDirection="column" height={area.rows} overflow="hidden">
      <Device speaker={speaker} plan={plan} screen={small} canAct={controls} beat={beat} />
      <Overlay model={model} area={{ columns: area.columns, rows: FAULTS_ROWS }} screen={screen} />
    </Box>
  )
}

function Overlay({ model, area, screen }: OverlayProps): ReactNode {
  const { ui, log, speaker, page, quitLabel } = model
  switch (ui.overlay) {
    case 'none':
      return undefined
    case 'help':
      return (
        <Help area={area} context={keyContext(model)} extraKeys={embedderKeys(model)} quitLabel={quitLabel} />
      )
    case 'faults':
      return <FaultsMenu area={area} faults={speaker.faults} theme={screen.theme} />
    case 'frame':
      return <FrameView area={area} log={log} choice={ui.frame} />
    case 'page':
      return (
        <Box flexDirection="column" height={area.rows} overflow="hidden">
          <Lines rows={page?.lines ?? []} />
        </Box>
      )
  }
}

/** Below this height, the embedder's lines replace the log. */
const ROWS_FOR_BOTH = 14

function Log(props: { model: ViewModel; area: Area; screen: DeviceDisplay; framed: boolean }) {
  const { model, area, screen, framed } = props
  const { log, ui, extraLines } = model
  const common = { log, filter: ui.filter, theme: screen.theme, framed }
  if (!extraLines) return <Protocol {...common} area={area} />
  const logRows = area.rows >= ROWS_FOR_BOTH ? Math.floor(area.rows * 0.4) : 0
  const extraArea = { columns: area.columns, rows: area.rows - logRows }
  return (
    <Box flexDirection="column" flexShrink={0}>
      <ExtraLines area={extraArea} lines={extraLines} framed={framed} />
      {logRows > 0 ? <Protocol {...common} area={{ columns: area.columns, rows: logRows }} /> : undefined}
    </Box>
  )
}

/** Only the QR, and the text that the payer must compare. */
function BareQr({ area, screen }: { area: Area; screen: DeviceDisplay }) {
  const { display, words, qr } = screen
  return (
    <Box flexDirection="column" alignItems="center" width={area.columns} height={area.rows} overflow="hidden">
      {display.screen === 'qr' ? (
        <QrCaption display={display} words={words} columns={area.columns} />
      ) : undefined}
      {display.screen === 'idle' ? (
        <Text bold wrap="truncate">
          {printable(display.name)}
        </Text>
      ) : undefined}
      {qr ? <QrCode {...qr} /> : undefined}
    </Box>
  )
}

function TooSmall({ columns, rows }: Area) {
  const text = `The speaker needs a terminal of ${SMALLEST.columns}x${SMALLEST.rows} or more; this one is ${columns}x${rows}.`
  return <Text>{wrap(text, columns).join('\n')}</Text>
}

function embedderKeys({ extraKeys, page }: ViewModel): readonly (KeyLabel & { help?: string })[] {
  return page ? [...extraKeys, { key: page.key, label: page.label }] : extraKeys
}

const BACK: KeyLabel = { key: 'Esc', label: 'back' }

function footerKeys(model: ViewModel, layout: Layout): readonly KeyLabel[] {
  switch (model.ui.overlay) {
    case 'none':
      return [...embedderKeys(model), ...ownKeys(model, layout)]
    case 'help':
    case 'page':
      return [BACK]
    case 'faults':
      return [{ key: 'a to j', label: 'break or repair' }, BACK]
    case 'frame':
      return [{ key: '↑↓', label: 'other packets' }, { key: 'PgUp PgDn', label: 'scroll' }, BACK]
  }
}

function ownKeys(model: ViewModel, layout: Layout): readonly KeyLabel[] {
  return offeredKeys(keyContext(model)).map(({ key, action, label }) => {
    if (action === 'quit') return { key, label: model.quitLabel }
    return { key, label: (action === 'zoom' && zoomLabel(model, layout)) || label }
  })
}

/** The label of the zoom key when it can't help, or leaves the zoom; undefined for the usual label. */
function zoomLabel({ ui, columns, rows }: ViewModel, { mode, log, qr }: Layout): string | undefined {
  if (qr && !qr.fits && !qr.zoomHelps)
    return `QR needs ${qr.needs.columns}x${qr.needs.rows}, here ${columns}x${rows}`
  if (ui.zoomed) return 'all again'
  return mode === 'bare' && !log ? 'QR is alone already' : undefined
}
