import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Printed } from '../../../protocol/c/build.ts'
import { builtThumbVectors, runThumbVectors } from '../../../protocol/c/thumb.ts'

/** Builds the program of the vectors before the tests of this block, and answers the function that runs it. */
export function thumbRun(): (cases: string[][]) => Printed[][] {
  let program = ''
  let scratch = ''
  beforeAll(async () => {
    program = `${await builtThumbVectors()}/vectors.elf`
    scratch = mkdtempSync(join(tmpdir(), 'thumb-'))
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))
  return (cases) => runThumbVectors(program, scratch, cases)
}
