import { expect, it } from 'vitest'
import { start } from '../../support/processes/process.ts'
import { memoryFolder } from '../../support/runner/memory-folder.ts'

const bench = (args: string[], env: Record<string, string>) =>
  start(process.execPath, ['--import', 'tsx', 'test/bench/main.ts', ...args], env).ended

it.runIf(memoryFolder(1))('refuses a data folder in memory, where a flush costs nothing', async () => {
  const { code, stdout, stderr } = await bench(['start'], { TMPDIR: memoryFolder(1) ?? '' })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(
    'The data folders would be in /dev/shm, which is in memory (tmpfs), where a flush costs nothing: set TMPDIR to a folder on a disk.\n',
  )
})

it('names the benchmarks to who asks for an unknown one', async () => {
  const { code, stderr } = await bench(['speed'], { TMPDIR: '/' })
  expect(code).toBe(2)
  expect(stderr).toContain('Unknown: speed. Available: start, callbacks, cost, ')
})
