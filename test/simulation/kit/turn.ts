/** More turns of the event loop than anything takes. */
const MOST_TURNS = 1_000

/**
 * Lets the event loop turn: so many times, or until nothing is under way. The hub waits for nothing but its storage
 * and the clock, so that it is quiet when no act on the storage is left: then `quiet` is called.
 */
export function createTurn(underWay: () => number, quiet: () => void) {
  return async (times: number | 'settle'): Promise<void> => {
    // What was written in this moment leaves in it: the hub gathers the packets of one turn.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const most = times === 'settle' ? MOST_TURNS : times
    for (let done = 0; done < most; done += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (times === 'settle' && underWay() === 0) return quiet()
    }
    if (times === 'settle') throw new Error('the hub never comes to rest')
  }
}
