import { encodeQr, type QrMatrix } from '../../screen/drawing/qr.ts'
import type { BoxSnapshot } from '../box.ts'
import type { Firmware } from '../core/firmware.ts'

/** What is open over the picture. */
export type Overlay = 'none' | 'faults' | 'qr'

/** Everything that the view draws, as plain data. */
export interface BoxModel {
  columns: number
  rows: number
  colour: boolean
  firmware: Pick<Firmware, 'model' | 'picture'>
  snapshot: BoxSnapshot
  /** The newest last. */
  log: readonly string[]
  overlay: Overlay
}

export const SMALLEST = { columns: 40, rows: 20 }

/** The QR on its display; undefined without one. */
export function qrOf({ power, state }: BoxSnapshot): QrMatrix | undefined {
  if (!power) return undefined
  const text =
    state.screen.screen === 'qr' ? state.screen.qr : state.screen.screen === 'home' ? state.home.qr : ''
  return text === '' ? undefined : encodeQr(text)
}
