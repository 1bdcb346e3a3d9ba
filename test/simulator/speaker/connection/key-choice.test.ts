import { expect, it } from 'vitest'
import { createKeyChoice } from '../../../../simulator/speaker/connection/key-choice.ts'
import type { Keyring } from '../../../../simulator/speaker/memory/memory.ts'

const [OLD, NEXT, THIRD] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)]

function choiceOf(keyring: Keyring) {
  const kept = { ...keyring }
  return { kept, choice: createKeyChoice(() => kept) }
}

it('sb/1 2.8: begins with the next key, changes after each CONNACK 4, and waits each time when both were refused', () => {
  const { choice } = choiceOf({ current: OLD, next: NEXT })
  const picked = []
  const atOnce = []
  for (let attempt = 0; attempt < 4; attempt += 1) {
    picked.push(choice.pick())
    atOnce.push(choice.refused())
  }
  expect(picked).toEqual([NEXT, OLD, NEXT, OLD])
  expect(atOnce).toEqual([true, false, false, false])
})

it('sb/1 2.8: goes on with the key that was admitted, until there is a newer one or the power was cut', () => {
  const { kept, choice } = choiceOf({ current: OLD, next: NEXT })
  choice.pick()
  choice.refused()
  expect(choice.pick()).toBe(OLD)
  choice.admitted()
  expect(choice.pick()).toBe(OLD)
  expect(choice.refused()).toBe(true)
  choice.refused()
  choice.restart()
  expect(choice.pick()).toBe(NEXT)
  choice.refused()
  kept.next = THIRD
  expect(choice.pick()).toBe(THIRD)
})

it('has nothing else to try with one key', () => {
  const { choice } = choiceOf({ current: OLD })
  expect(choice.pick()).toBe(OLD)
  expect(choice.refused()).toBe(false)
})
