import { IN_ITS_MESSAGES } from './in-its-messages.ts'
import { IN_ITS_WORK } from './in-its-work.ts'
import { ON_THE_LINE } from './on-the-line.ts'
import type { Plant } from './plant.ts'

export const PLANTS: readonly Plant[] = [...IN_ITS_MESSAGES, ...IN_ITS_WORK, ...ON_THE_LINE]
