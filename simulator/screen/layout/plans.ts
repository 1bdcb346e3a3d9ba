import type { Area } from '../drawing/area.ts'
/** Where things stand, in character cells. */
export interface Layout {
  /**
   * `side`: device and log beside each other. `stacked`: the log below. `alone`: no room for a log.
   * `bare`: only the QR and its caption, for terminals where a QR just fits; the log beside them if it can be.
   */
  mode: 'side' | 'stacked' | 'alone' | 'bare'
  device: DevicePlan
  log: Area | undefined
  qr: QrPlan | undefined
  /** At the bottom: the keys; what a larger terminal would show and the keys; or nothing, where a QR takes it. */
  foot: 'keys' | 'hint' | 'none'
}

/** How the device is put together within its frame. */
export interface DevicePlan {
  area: Area
  /** The screen's inside. */
  screen: Area
  /** Whether the screen has a border of its own; where it is tight, the device's must do. */
  bordered: boolean
  panel: PanelPlan
}

/**
 * What stands below the screen. `cone`: the speaker drawn, with the sentence beside it, volume and faults.
 * `lines`: the same in words, the sentence in so many rows. `sound`: one row for all of it.
 */
export type PanelPlan =
  | { form: 'cone'; rows: number }
  | { form: 'lines'; rows: number }
  | { form: 'sound'; rows: 1 }

/**
 * Whether a QR can be drawn, and with how wide a quiet zone; otherwise the terminal that it takes, and whether
 * this one would do with the QR alone.
 */
export type QrPlan = { fits: true; quiet: number } | { fits: false; needs: Area; zoomHelps: boolean }
