import type { Area } from '../drawing/area.ts'
/** The parts of the screen, in character cells. */
export interface Layout {
  /**
   * `side`: log beside the device. `stacked`: log below the device. `alone`: no room for a log. `bare`: only the QR and
   * its caption, and the log if it fits beside them.
   */
  mode: 'side' | 'stacked' | 'alone' | 'bare'
  device: DevicePlan
  log: Area | undefined
  qr: QrPlan | undefined
  /** The bottom rows: the keys; a hint and the keys; or nothing, when a QR needs the row. */
  foot: 'keys' | 'hint' | 'none'
}

/** The parts of the device within its frame. */
export interface DevicePlan {
  area: Area
  /** The inside of the display. */
  screen: Area
  /** Whether the display has its own border; omitted when there is little room. */
  bordered: boolean
  panel: PanelPlan
}

/**
 * The panel below the display. `grille`: drawn grille, sentence, volume and faults. `lines`: the same as text, the sentence
 * in the remaining rows. `sound`: everything in one row.
 */
export type PanelPlan =
  | { form: 'grille'; rows: number; grilleRows: number }
  | { form: 'lines'; rows: number }
  | { form: 'sound'; rows: 1 }

/**
 * Whether the QR fits, and its quiet zone. If not: the terminal that it needs, and whether showing the QR alone would
 * help here.
 */
export type QrPlan = { fits: true; quiet: number } | { fits: false; needs: Area; zoomHelps: boolean }
