import { setTimeout as sleep } from 'node:timers/promises'
import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { pace } from './pace.ts'

/** Messages that have not arrived by then are lost: no announcement is sent when it is that old. */
const STRAGGLERS_MS = ANNOUNCEMENT_FRESH_MS

/** Measures milliseconds from sending to arrival. A number identifies each message. */
export interface Stopwatch {
  /** Call it when a message arrives. Unknown messages are ignored. */
  stop(number: number): void
  /** Sends `count` messages, evenly spread. Resolves with all times in order of arrival. */
  run(perSecond: number, count: number, send: (number: number) => void): Promise<number[]>
}

/** Numbers have five digits because amounts do, so there are at most 90,000 messages. */
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
