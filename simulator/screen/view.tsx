import { Box, Text } from 'ink'
import { type ReactNode, useMemo } from 'react'
import { Device } from './device/device.tsx'
import { isAudible } from './device/indicators.ts'
import type { DisplayProps } from './display/display.tsx'
import { QrCaption } from './display/payment-qr.tsx'
import { QrCode } from './display/qr-code.tsx'
import { wordsOf } from './display/words.ts'
import type { Area } from './drawing/area.ts'
import { Lines } from './drawing/lines.tsx'
import { encodeQr } from './drawing/qr.ts'
import { printable, wrap } from './drawing/text.ts'
import { themeOf } from './drawing/theme.ts'
import { FaultsMenu } from './keys/faults-menu.tsx'
import { Footer, type KeyLabel, Typing } from './keys/footer.tsx'
import { Help, hintLines, LogHelp } from './keys/help.tsx'
import { offeredKeys } from './keys/keys.ts'
import { LOG_KEYS, SEARCH_KEY } from './keys/log-keys.ts'
import { ROWS_WITH_LOG, SMALLEST } from './layout/layout.ts'
import type { Layout } from './layout/plans.ts'
import { ExtraLines, extraLinesRows } from './log/extra-lines.tsx'
import { FrameView } from './log/frame-view.tsx'
import { logInside, Protocol } from './log/protocol.tsx'
import { keyContext, type OverlayPlace, overlayPlace, placementOf, qrTextOf } from './placement.ts'
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
  const { serial } = speaker
  const audible = isAudible(speaker)
  const screen = { display, serial, words: wordsOf(settings.lang), theme, link, retryInMs, audible, qr }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Body model={model} layout={layout} screen={screen} />
      {layout.foot === 'none' && ui.overlay === 'none' ? undefined : <Foot model={model} layout={layout} />}
    </Box>
  )
}

/** The keys, or the text that is being typed. */
function Foot({ model, layout }: { model: ViewModel; layout: Layout }) {
  const { columns, ui, footer } = model
  const { typing, search, only } = ui.reading
  if (ui.overlay === 'log' && typing)
    return typing.what === 'search' ? (
      <Typing columns={columns} sign="/" text={search} />
    ) : (
      <Typing columns={columns} sign="only lines with: " text={only} />
    )
  const text = ui.notice === '' ? footer : ui.notice
  return <Footer columns={columns} keys={footerKeys(model, layout)} text={text} />
}

type DeviceDisplay = Omit<DisplayProps, 'room'>

interface BodyProps {
  model: ViewModel
  layout: Layout
  screen: DeviceDisplay
}

function Body({ model, layout, screen }: BodyProps) {
  const { ui, rows, columns } = model
  const overlay = ui.overlay === 'none' ? undefined : overlayPlace(model, layout)
  if (overlay && !overlay.isInLog) return <OverAll model={model} place={overlay} screen={screen} />
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
      {overlay ? <Overlay model={model} area={overlay.area} screen={screen} /> : undefined}
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

interface OverAllProps {
  model: ViewModel
  place: OverlayPlace
  screen: DeviceDisplay
}

/** An overlay that covers everything. Above some, a small device stays and shows what happens. */
function OverAll({ model, place, screen }: OverAllProps) {
  const { area, device } = place
  if (!device) return <Overlay model={model} area={area} screen={screen} />
  const { speaker, controls, beat } = model
  const small = { ...screen, qr: undefined }
  return (
    <Box flexDirection="column" height={area.rows + device.area.rows} overflow="hidden">
      <Device speaker={speaker} plan={device} screen={small} canAct={controls} beat={beat} />
      <Overlay model={model} area={area} screen={screen} />
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
    case 'log':
      return <Protocol area={area} log={log} reading={ui.reading} isOpen theme={screen.theme} framed />
    case 'log help':
      return <LogHelp area={area} />
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
  const hints = framed ? hintLines(keyContext(model), logInside(area, framed).columns) : []
  const common = { log, reading: ui.reading, isOpen: false, theme: screen.theme, framed, hints }
  if (!extraLines) return <Protocol {...common} area={area} />
  const logRows = area.rows >= ROWS_FOR_BOTH ? area.rows - extraRows(extraLines, area, framed) : 0
  const extraArea = { columns: area.columns, rows: area.rows - logRows }
  return (
    <Box flexDirection="column" flexShrink={0}>
      <ExtraLines area={extraArea} title="what happens" lines={extraLines} framed={framed} />
      {logRows > 0 ? <Protocol {...common} area={{ columns: area.columns, rows: logRows }} /> : undefined}
    </Box>
  )
}

/** Rows for the embedder's lines: as many as they need, and at most six tenths. */
function extraRows(lines: readonly string[], area: Area, framed: boolean): number {
  const needed = extraLinesRows(lines, area.columns, framed)
  return Math.min(Math.ceil(area.rows * 0.6), Math.max(LEAST_EXTRA_ROWS, needed))
}

const LEAST_EXTRA_ROWS = 8

/** Only the QR, and the text that the payer must compare. */
function BareQr({ area, screen }: { area: Area; screen: DeviceDisplay }) {
  const { display, words, qr } = screen
  return (
    <Box flexDirection="column" alignItems="center" width={area.columns} height={area.rows} overflow="hidden">
      {display.screen === 'qr' ? (
        <QrCaption display={display} words={words} columns={area.columns} rows={1} />
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
const HELP: KeyLabel = { key: '?', label: 'help' }

function footerKeys(model: ViewModel, layout: Layout): readonly KeyLabel[] {
  switch (model.ui.overlay) {
    case 'none':
      return [...embedderKeys(model), ...ownKeys(model, layout)]
    case 'help':
    case 'log help':
    case 'page':
      return [BACK]
    case 'log':
      return [
        ...LOG_KEYS.filter(({ key }) => key !== SEARCH_KEY || model.ui.reading.search !== ''),
        HELP,
        BACK,
      ]
    case 'faults':
      return [{ key: 'a to j', label: 'break or repair' }, BACK]
    case 'frame':
      return [
        { key: '↑↓', label: 'other packets' },
        { key: 'PgUp PgDn', label: 'scroll' },
        { key: 'c', label: 'copy' },
        BACK,
      ]
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
