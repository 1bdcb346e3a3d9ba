import { expect, it } from 'vitest'
import { createTurns } from '../../../server/platform/turns.ts'

it('starts tasks at once while slots are free, and the next one when a slot is given back', () => {
  const turns = createTurns(2)
  const started: string[] = []
  for (const name of ['a1', 'a2', 'a3']) turns.take('a', () => started.push(name))
  expect(started).toEqual(['a1', 'a2'])
  expect(turns.waiting()).toBe(1)
  turns.release()
  expect(started).toEqual(['a1', 'a2', 'a3'])
  expect(turns.waiting()).toBe(0)
})

it('gives an owner with one task its turn before the second task of an owner with many', () => {
  const turns = createTurns(1)
  const started: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'a4']) turns.take('a', () => started.push(name))
  turns.take('b', () => started.push('b1'))
  turns.take('c', () => started.push('c1'))
  for (let times = 0; times < 5; times += 1) turns.release()
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

it('starts the next task when a task gives its slot back while it starts', () => {
  const turns = createTurns(1)
  const started: number[] = []
  turns.take('a', () => undefined)
  for (let index = 0; index < 20_000; index += 1)
    turns.take(`owner ${index % 7}`, () => {
      started.push(index)
      turns.release()
    })
  turns.release()
  expect(started).toHaveLength(20_000)
  expect(turns.waiting()).toBe(0)
})
