import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { onEndSignal } from '../../../simulator/platform/end-signals.ts'

it('counts signals within a second as one, and a later signal as another', () => {
  const process = new EventEmitter()
  const wishes: number[] = []
  let nowMs = 0
  // The code uses only `on`, which every emitter has.
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
