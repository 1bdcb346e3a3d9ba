import { setTimeout as sleep } from 'node:timers/promises'

/** Calls `act` with its number at a steady rate, without waiting for earlier calls. */
export async function pace(perSecond: number, count: number, act: (number: number) => void): Promise<void> {
  const startedAt = performance.now()
  for (let number = 0; number < count; number += 1) {
    const dueInMs = startedAt + (number * 1000) / perSecond - performance.now()
    if (dueInMs >= 1) await sleep(dueInMs)
    act(number)
  }
}
