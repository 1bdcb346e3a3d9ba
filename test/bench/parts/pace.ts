import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `act` with its number at a rate, without waiting for earlier calls. `gap` returns the time between two calls as
 * a share of the mean. Without it they are evenly spread.
 */
export async function pace(
  perSecond: number,
  count: number,
  act: (number: number) => void,
  gap = () => 1,
): Promise<void> {
  let dueAt = performance.now()
  for (let number = 0; number < count; number += 1) {
    const dueInMs = dueAt - performance.now()
    if (dueInMs >= 1) await sleep(dueInMs)
    act(number)
    dueAt += (gap() * 1000) / perSecond
  }
}
