import { IN_THE_CORE } from './in-the-core.ts'
import { ON_THE_LINE } from './on-the-line.ts'
import type { Plant } from './plant.ts'

export const PLANTS: readonly Plant[] = [...IN_THE_CORE, ...ON_THE_LINE]
