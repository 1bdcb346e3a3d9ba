import { alink } from './alink/alink.ts'
import type { Firmware } from './core/firmware.ts'
import { hemipay } from './hemipay/hemipay.ts'
import { clipNumbers } from './oneway/clip-numbers.ts'
import { ds50 } from './oneway/ds50.ts'
import { morefun } from './oneway/morefun.ts'
import { openluat } from './oneway/openluat.ts'

/** The boxes of other makers, by the names of `--dialect`. */
export const FIRMWARE = {
  hemipay,
  'clip-numbers': clipNumbers,
  morefun,
  openluat,
  ds50,
  alink,
} satisfies Record<string, Firmware>

export type BoxKind = keyof typeof FIRMWARE
export const BOX_KINDS = Object.keys(FIRMWARE).filter((name): name is BoxKind => name in FIRMWARE)
