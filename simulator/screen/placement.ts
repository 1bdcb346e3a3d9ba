import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import { isDisplayBroken } from './device/indicators.ts'
import type { Area } from './drawing/area.ts'
import type { KeyContext } from './keys/keys.ts'
import { layoutOf } from './layout/layout.ts'
import type { Layout } from './layout/plans.ts'
import type { UiState } from './ui-state.ts'
import type { ViewModel } from './view-model.ts'

/** The size that an overlay needs to cover only the log and leave the device visible. */
const OVERLAYS: Readonly<Record<UiState['overlay'], Area>> = {
  none: { columns: 0, rows: 0 },
  help: { columns: 56, rows: 19 },
  faults: { columns: 32, rows: 12 },
  frame: { columns: 32, rows: 12 },
  // Its lines are for copying: nothing may be beside them.
  page: { columns: Number.POSITIVE_INFINITY, rows: 0 },
}

/** The layout of the view; `qrModules` is the side of the display's QR. */
export function placementOf(
  { columns, rows, speaker, ui }: ViewModel,
  qrModules: number | undefined,
): Layout {
  return layoutOf({ columns, rows, display: speaker.display, qrModules, zoomed: ui.zoomed })
}

/** The overlay covers the log if the log is large enough, otherwise everything except the footer. */
export function overlayArea({ columns, rows, ui }: ViewModel, { log }: Layout): Area {
  const least = OVERLAYS[ui.overlay]
  if (log && log.columns >= least.columns && log.rows >= least.rows) return log
  return { columns, rows: rows - 1 }
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
    case 'unregistered':
    case 'connecting':
    case 'no_network':
      return undefined
  }
}
