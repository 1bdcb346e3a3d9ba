import { expect, it, onTestFinished, vi } from 'vitest'
import { createVault, keyIdOf } from '../../../../../server/security/vault.ts'
import { createKeyInForce } from '../../../../../server/storage/postgres/engine/key-in-force.ts'
import { TEST_MASTER_KEY, testMasterKey } from '../../../../support/storage.ts'

const [FIRST, SECOND] = [TEST_MASTER_KEY, testMasterKey('the second')]

/** A database that is sealed under the first key, until `change`. */
function database() {
  let [now, asked] = [0, 0]
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => spy.mockRestore())
  let canary = createVault(FIRST).seal('place', 'canary')
  const read = async <R>() => {
    asked += 1
    return [{ sealed: canary }] as R[]
  }
  return {
    keys: createKeyInForce(createVault(FIRST, SECOND), read),
    asked: () => asked,
    pass(ms: number) {
      now += ms
    },
    change() {
      canary = createVault(SECOND).seal('place', 'canary')
    },
  }
}
const [FIRST_ID, SECOND_ID] = createVault(FIRST, SECOND).keyIds

it('asks each second at most, and waits for the answer when it knows nothing, or too little', async () => {
  const { keys, asked, pass, change } = database()
  const seal = () => keyIdOf(keys.vault.seal('place', 'plain'))
  await keys.know()
  await keys.know()
  expect([asked(), seal()]).toEqual([1, FIRST_ID])
  change()
  pass(999)
  await keys.know()
  expect([asked(), seal()]).toEqual([1, FIRST_ID])
  pass(1)
  await keys.know()
  await keys.ask()
  expect([asked(), seal()]).toEqual([2, SECOND_ID])
  pass(5_000)
  await keys.know()
  expect(asked()).toBe(3)
})

it('seals nothing after it was stopped, until it has asked', async () => {
  const { keys, pass, change } = database()
  await keys.know()
  change()
  pass(10_000)
  expect(() => keys.vault.seal('place', 'plain')).toThrow('UNAVAILABLE')
  await keys.know()
  expect(keyIdOf(keys.vault.seal('place', 'plain'))).toBe(SECOND_ID)
})
