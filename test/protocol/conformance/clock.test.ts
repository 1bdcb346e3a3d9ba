import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { machineClock } from '../../../protocol/conformance/wire/clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function wait(ms: number) {
  const clock = machineClock(() => Date.now())
  const wake = vi.fn()
  const cancel = clock.wakeAt(clock.now() + ms, wake)
  return { wake, cancel }
}

it('wakes when the time has passed, and not before', () => {
  const { wake } = wait(3_000)
  vi.advanceTimersByTime(2_990)
  expect(wake).not.toHaveBeenCalled()
  vi.advanceTimersByTime(11)
  expect(wake).toHaveBeenCalledOnce()
})

it('does not count the time in which the machine has stopped the process', () => {
  const { wake } = wait(3_000)
  vi.advanceTimersByTime(1_000)
  vi.setSystemTime(Date.now() + 60_000)
  vi.advanceTimersByTime(1_900)
  expect(wake).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(wake).toHaveBeenCalledOnce()
})

it('wakes in a turn of its own, behind the packets that have arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const { wake } = wait(100)
  vi.advanceTimersByTime(200)
  expect(wake).not.toHaveBeenCalled()
  await new Promise((resolve) => setImmediate(resolve))
  expect(wake).toHaveBeenCalledOnce()
})

it('does not wake once it is called off', () => {
  const { wake, cancel } = wait(100)
  vi.advanceTimersByTime(50)
  cancel()
  vi.runAllTimers()
  expect(wake).not.toHaveBeenCalled()
})
