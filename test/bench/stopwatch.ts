import { setTimeout as sleep } from 'node:timers/promises'
import { pace } from './pace.ts'

/** What has not come by then never will. */
const STRAGGLERS_MS = 5_000

/** Milliseconds from the sending of messages to their arrival, each told from the others by a number of its own. */
export interface Stopwatch {
  /** To be called as a message arrives; of one that was not sent here, nothing is kept. */
  stop(number: number): void
  /** Sends so many, evenly spread over their time; the times of all, in the order of their arrival. */
  run(perSecond: number, count: number, send: (number: number) => void): Promise<number[]>
}

/** Numbers have five digits, as amounts do: up to 90,000 messages. */
export function createStopwatch(): Stopwatch {
  const startedAt = new Map<number, number>()
  let times: number[] = []
  let next = 10_000
  return {
    stop(number) {
      const start = startedAt.get(number)
      if (start === undefined) return
      startedAt.delete(number)
      times.push(performance.now() - start)
    },
    async run(perSecond, count, send) {
      await pace(perSecond, count, () => {
        next += 1
        startedAt.set(next, performance.now())
        send(next)
      })
      for (let waitedMs = 0; startedAt.size > 0; waitedMs += 10) {
        if (waitedMs > STRAGGLERS_MS) throw new Error(`${startedAt.size} messages never came`)
        await sleep(10)
      }
      const taken = times
      times = []
      return taken
    },
  }
}
