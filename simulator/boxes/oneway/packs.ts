import { pack } from '../core/pack.ts'
import vietnamese from './pack.json' with { type: 'json' }
import english from './pack-en.json' with { type: 'json' }

/**
 * The clips of both languages as they are flashed by default. The ids count up from 100 in the order of the protocol's
 * tables, first Vietnamese, then English, so both fit into one box.
 */
export const DEFAULT_PACKS = [pack.parse(vietnamese), pack.parse(english)]
