import { afterAll, beforeAll } from 'vitest'
import type { Printed } from '../../../protocol/c/build.ts'
import { builtThumbVectors, runThumbVectors } from '../../../protocol/c/thumb.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/** Builds the program of the vectors before the tests of this block, and answers the function that runs it. */
export function thumbRun(): (cases: string[][]) => Printed[][] {
  let program = ''
  const scratch = temporaryFolder(afterAll)
  beforeAll(async () => {
    program = `${await builtThumbVectors()}/vectors.elf`
  })
  return (cases) => runThumbVectors(program, scratch, cases)
}
