import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { commitSeed } from '../../../support/runner/commit-seed.ts'

it('a copy without a history has a seed that changes with its sources', () => {
  const copy = temporaryFolder()
  mkdirSync(join(copy, 'protocol'))
  cpSync('protocol/frame.ts', join(copy, 'protocol/frame.ts'))
  const before = commitSeed(copy)
  expect(commitSeed(copy)).toBe(before)
  writeFileSync(join(copy, 'protocol/frame.ts'), '')
  expect(commitSeed(copy)).not.toBe(before)
})
