import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import { isDisplayBroken } from './device/indicators.ts'
import type { Area } from './drawing/area.ts'
import { encodeQr } from './drawing/qr.ts'
import { FAULTS_ROWS } from './keys/faults-menu.tsx'
import type { KeyContext } from './keys/keys.ts'
import { layoutOf, miniatureOf } from './layout/layout.ts'
import type { DevicePlan, Layout } from './layout/plans.ts'
import { logInside } from './log/protocol.tsx'
import type { Overlay } from './ui-state.ts'
import type { ViewModel } from './view-model.ts'

/** The size that an overlay needs to cover only the log and leave the device visible. */
const OVERLAYS: Readonly<Record<Overlay, Area>> = {
  none: { columns: 0, rows: 0 },
  help: { columns: 56, rows: 19 },
  faults: { columns: 32, rows: 12 },
  frame: { columns: 32, rows: 12 },
  log: { columns: 34, rows: 12 },
  'log help': { columns: 48, rows: 13 },
  // Its lines are for copying: nothing may be beside them.
  page: { columns: Number.POSITIVE_INFINITY, rows: 0 },
}

/** Lines of the open log below a small device, with its frame. */
const LEAST_LOG_ROWS = 10

/** The layout of the view; `qrModules` is the side of the display's QR. */
export function placementOf(
  { columns, rows, speaker, ui }: ViewModel,
  qrModules: number | undefined,
): Layout {
  return layoutOf({ columns, rows, display: speaker.display, qrModules, zoomed: ui.zoomed })
}

/** Where the open overlay is. */
export interface OverlayPlace {
  area: Area
  /** Whether it covers the log's place alone, beside the device. */
  isInLog: boolean
  /** The small device above an overlay that covers everything else; undefined where there is no room. */
  device: DevicePlan | undefined
}

/** The overlay covers the log if the log is large enough, otherwise everything except the footer. */
export function overlayPlace({ columns, rows, ui }: ViewModel, { log }: Layout): OverlayPlace {
  const least = OVERLAYS[ui.overlay]
  if (log && log.columns >= least.columns && log.rows >= least.rows)
    return { area: log, isInLog: true, device: undefined }
  const area = { columns, rows: rows - 1 }
  const rowsBelow = rowsBelowDevice(ui.overlay, area.rows)
  const device = rowsBelow === undefined ? undefined : miniatureOf(area, rowsBelow)
  return { area: { columns, rows: device ? (rowsBelow ?? 0) : area.rows }, isInLog: false, device }
}

/** Faults and log leave room for a small device, which shows what happens; other overlays do not. */
function rowsBelowDevice(overlay: Overlay, rows: number): number | undefined {
  if (overlay === 'faults') return FAULTS_ROWS
  return overlay === 'log' ? Math.max(LEAST_LOG_ROWS, Math.floor(rows / 2)) : undefined
}

/** The lines of the open log. */
export function readingArea(model: ViewModel): Area {
  const qr = qrTextOf(model.speaker)
  const layout = placementOf(model, qr === undefined ? undefined : encodeQr(qr).length)
  const open = { ...model, ui: { ...model.ui, overlay: 'log' as const } }
  return logInside(overlayPlace(open, layout).area, true)
}

/** Decides which keys work now. */
export function keyContext({
  controls,
  colour,
  speaker,
}: Pick<ViewModel, 'controls' | 'colour' | 'speaker'>): KeyContext {
  const { display } = speaker
  return { controls, colour, qr: qrTextOf(speaker) !== undefined, missed: display.screen === 'missed' }
}

/** The text of the visible QR. */
export function qrTextOf(speaker: SpeakerSnapshot): string | undefined {
  const { display } = speaker
  if (isDisplayBroken(speaker)) return undefined
  switch (display.screen) {
    case 'qr':
      return display.qr
    case 'idle':
      return display.qr === '' ? undefined : display.qr
    case 'off':
    case 'code':
    case 'payment':
    case 'paid':
    case 'missed':
    case 'locked':
    case 'unregistered':
    case 'connecting':
    case 'no_network':
      return undefined
  }
}
