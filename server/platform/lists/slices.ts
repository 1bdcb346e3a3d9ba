import { createTurns } from '../turns.ts'

/**
 * Long work goes in slices of about a millisecond: one in each turn of the event loop, taken from its owners in turn.
 * So nothing else of this thread waits for more than one slice, however many owners work and however much they want.
 */
export interface Slices {
  run<T>(owner: string, slice: () => Promise<T>): Promise<T>
}

export function createSlices(): Slices {
  const turns = createTurns(1)
  return {
    async run(owner, slice) {
      await new Promise<void>((resolve) => turns.take(owner, resolve))
      try {
        return await slice()
      } finally {
        // Two turns: what has arrived during the slice is answered, and what that leads to as well.
        setImmediate(() => setImmediate(turns.release))
      }
    },
  }
}
