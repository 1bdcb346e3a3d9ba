import { IN_ITS_KEYS } from './in-its-keys.ts'
import { IN_ITS_MACS } from './in-its-macs.ts'
import type { Mistake } from './mistake.ts'

export const MISTAKES: readonly Mistake[] = [...IN_ITS_KEYS, ...IN_ITS_MACS]
