import { randomFrom } from '../../../support/random.ts'
import { pace } from '../pace.ts'
import type { HttpLine } from './http-line.ts'
import { CONNECTIONS, createRequests, openLines, type Target } from './load.ts'

/**
 * Sends requests at a rate, over 64 connections in turn, whether or not earlier ones are answered. They come at random
 * moments (exponential gaps, the same in each run), because customers pay independently of each other. Resolves with the
 * milliseconds of each, with its wait for a free connection. Rejects if any answer is not 200.
 */
export async function loadAtRate(target: Target, perSecond: number, amount: number): Promise<number[]> {
  const next = createRequests(target, amount)
  const lines = await openLines(target, CONNECTIONS)
  const free = [...lines]
  const awaited: ((line: HttpLine) => void)[] = []
  const freeLine = () =>
    new Promise<HttpLine>((resolve) => {
      const line = free.shift()
      if (line) resolve(line)
      else awaited.push(resolve)
    })

  async function ask(): Promise<number> {
    const askedAt = performance.now()
    const line = await freeLine()
    await line.ask(next())
    const waiting = awaited.shift()
    if (waiting) waiting(line)
    else free.push(line)
    return performance.now() - askedAt
  }

  const random = randomFrom(amount)
  const asked: Promise<number>[] = []
  try {
    const send = () => {
      const answered = ask()
      // A failed one is noticed at the end.
      answered.catch(() => undefined)
      asked.push(answered)
    }
    await pace(perSecond, amount, send, () => -Math.log(1 - random()))
    return await Promise.all(asked)
  } finally {
    for (const line of lines) line.close()
  }
}
