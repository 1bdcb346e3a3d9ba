import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import { isDisplayBroken } from './device/indicators.ts'
import type { Area } from './drawing/area.ts'
import type { KeyContext } from './keys/keys.ts'
import { layoutOf } from './layout/layout.ts'
import type { Layout } from './layout/plans.ts'
import type { UiState } from './ui-state.ts'
import type { ViewModel } from './view-model.ts'

/** What an overlay must have to lie over the log alone and leave the device in sight. */
const OVERLAYS: Readonly<Record<UiState['overlay'], Area>> = {
  none: { columns: 0, rows: 0 },
  help: { columns: 56, rows: 19 },
  faults: { columns: 32, rows: 12 },
  frame: { columns: 32, rows: 12 },
  // Its lines are for copying: nothing may stand beside them.
  page: { columns: Number.POSITIVE_INFINITY, rows: 0 },
}

/** Where everything stands; `qrModules` is the side of the display's QR. */
export function placementOf(
  { columns, rows, speaker, ui }: ViewModel,
  qrModules: number | undefined,
): Layout {
  return layoutOf({ columns, rows, display: speaker.display, qrModules, zoomed: ui.zoomed })
}

/** The overlay's place: the log's, where that is large enough; otherwise all but the footer. */
export function overlayArea({ columns, rows, ui }: ViewModel, { log }: Layout): Area {
  const least = OVERLAYS[ui.overlay]
  if (log && log.columns >= least.columns && log.rows >= least.rows) return log
  return { columns, rows: rows - 1 }
}

/** What decides which keys do something. */
export function keyContext({
  controls,
  colour,
  speaker,
}: Pick<ViewModel, 'controls' | 'colour' | 'speaker'>): KeyContext {
  const { display } = speaker
  return { controls, colour, qr: qrTextOf(speaker) !== undefined, missed: display.screen === 'missed' }
}

/** The text of the QR that can be seen. */
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
    case 'paid':
    case 'missed':
    case 'unregistered':
    case 'connecting':
    case 'no_network':
      return undefined
  }
}
