import { expect, it } from 'vitest'
import { onceForRun } from '../../../support/processes/once-for-run.ts'

it('makes a thing once for all who ask, and fails for all when it can not be made', async () => {
  const name = `once-${process.pid}`
  let made = 0
  const make = async () => {
    made += 1
  }
  expect(await onceForRun(name, make)).toBe(await onceForRun(name, make))
  expect(made).toBe(1)
  const fail = () => {
    made += 1
    throw new Error('no compiler')
  }
  for (let asked = 0; asked < 2; asked += 1)
    await expect(onceForRun(`${name}-failed`, fail)).rejects.toThrow('no compiler')
  expect(made).toBe(2)
})
