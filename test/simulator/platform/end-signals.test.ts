import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { onEndSignal } from '../../../simulator/platform/end-signals.ts'

it('takes signals within a second for one wish to end, and a later one for another', () => {
  const process = new EventEmitter()
  const wishes: number[] = []
  let nowMs = 0
  // Only its `on` is used, which is an emitter's.
  onEndSignal(
    process as unknown as NodeJS.Process,
    (count) => wishes.push(count),
    () => nowMs,
  )
  const at = (ms: number, signal: string) => {
    nowMs = ms
    process.emit(signal)
    return [...wishes]
  }
  expect(at(5_000, 'SIGINT')).toEqual([1])
  expect(at(5_000, 'SIGINT')).toEqual([1])
  expect(at(6_000, 'SIGTERM')).toEqual([1])
  expect(at(6_001, 'SIGHUP')).toEqual([1, 2])
  expect(at(7_001, 'SIGINT')).toEqual([1, 2])
})
