import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../support/percentile.ts'

const LOOK_EVERY_MS = 5
const FLUSH_EVERY_MS = 200

/** What the machine adds to every time, and no hub can help: the p99 in milliseconds. */
export interface Machine {
  /** How long this process waited for a processor. */
  processorMs: number
  /** How long the disk took to flush a few bytes beside the hub's file. */
  flushMs: number
}

/** Returns a function that ends the watch. */
export function watchMachine(folder: string): () => Promise<Machine> {
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS })
  delay.enable()
  const flushes: number[] = []
  let isOver = false
  const flushing = (async () => {
    const file = await open(join(folder, 'flushed'), 'w')
    while (!isOver) {
      const startedAt = performance.now()
      await file.write('x', 0)
      await file.datasync()
      flushes.push(performance.now() - startedAt)
      await sleep(FLUSH_EVERY_MS)
    }
    await file.close()
  })()
  return async () => {
    delay.disable()
    isOver = true
    await flushing
    return {
      processorMs: delay.percentile(99) / 1e6 - LOOK_EVERY_MS,
      flushMs: percentile(
        flushes.toSorted((a, b) => a - b),
        0.99,
      ),
    }
  }
}
