import type { BoxConfig } from './core/state.ts'
import { DEFAULT_PACKS } from './oneway/packs.ts'

/** How long a spoken word lasts. */
const WORD_MS = 220
/** How long a box that dies needs to start again. */
const DEAD_MS = 3_000

/** A box as it is set up by default. */
export function boxConfigOf(given: Partial<BoxConfig> & Pick<BoxConfig, 'serial'>): BoxConfig {
  return {
    ...{ password: undefined, productKey: '', secret: '', topic: undefined, lang: 'vi' },
    ...{ packs: DEFAULT_PACKS, playReport: undefined, wordMs: WORD_MS, deadMs: DEAD_MS },
    ...given,
  }
}
