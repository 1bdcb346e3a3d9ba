import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockMemory } from '../../../../simulator/speaker/memory/lock.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/** The test runner's parent: a live process other than this one. */
const SOMEBODY_ELSE = process.ppid

it('allows one process at a time to use a memory', () => {
  const dir = temporaryFolder()
  lockMemory(dir, 'SPK-1', SOMEBODY_ELSE)
  expect(() => lockMemory(dir, 'SPK-1', process.pid)).toThrow(
    /^Another simulator, pid \d+, is running as SPK-1 .* --state\.$/,
  )
  expect(() => lockMemory(dir, 'SPK-2', process.pid)).not.toThrow()
})

it('is released by its holder', () => {
  const dir = temporaryFolder()
  const unlock = lockMemory(dir, 'SPK-1', SOMEBODY_ELSE)
  unlock()
  expect(existsSync(join(dir, 'SPK-1.lock'))).toBe(false)
  expect(() => lockMemory(dir, 'SPK-1', process.pid)).not.toThrow()
})

it.each(['2147483646', 'not a number', ''])('takes over the lock of a killed process: %j', (left) => {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'SPK-1.lock'), left)
  expect(() => lockMemory(dir, 'SPK-1', process.pid)).not.toThrow()
})
