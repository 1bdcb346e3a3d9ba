import { expect, it, onTestFinished } from 'vitest'
import { FastClock } from '../../../../simulator/run/kit/fast-clock.ts'

function fastClock() {
  const clock = new FastClock({ startMs: 1_000, factor: 1_000, idleFactor: 1_000_000 })
  onTestFinished(() => clock.stop())
  return clock
}

it('wakes timers in their order, each at its time, whatever the machine does', async () => {
  const clock = fastClock()
  const woken: [string, number][] = []
  const wake = (name: string, atMs: number) => clock.wakeAt(atMs, () => woken.push([name, clock.now()]))
  wake('late', 90_000)
  wake('early', 1_200)
  wake('middle', 5_000)
  wake('called off', 4_000)()
  const last = new Promise<void>((resolve) => void clock.wakeAt(90_001, resolve))
  expect(clock.now()).toBe(1_000)
  clock.start()
  await last
  expect(woken).toEqual([
    ['early', 1_200],
    ['middle', 5_000],
    ['late', 90_000],
  ])
})
