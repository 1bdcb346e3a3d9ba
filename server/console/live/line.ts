import { createSlices } from '../../platform/lists/slices.ts'
import { createLineReader, type ReadLine } from './look.ts'
import type { NeedsDeps } from './needs.ts'
import { createWatch, type WatchDeps } from './watch.ts'

/** What the hub has of the console's first page: one for all who look at it. */
export interface Line extends ReturnType<typeof createWatch> {
  read: ReadLine
}

export function createLine(deps: Omit<NeedsDeps, 'slices'> & Omit<WatchDeps, 'read'>): Line {
  const read = createLineReader({ ...deps, slices: createSlices() })
  return { read, ...createWatch({ ...deps, read }) }
}
