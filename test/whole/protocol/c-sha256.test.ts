import { beforeAll, describe } from 'vitest'
import { builtCLine, type CLine, missingForCore } from '../../protocol/c/build.ts'
import { testCore } from './c/core.ts'

describe.skipIf(missingForCore() !== undefined)('the core in C with the SHA-256 of the firmware', () => {
  let programs: CLine
  beforeAll(async () => {
    programs = await builtCLine()
  })
  testCore((cases) => programs.runVectors(cases), 0.02)
})
