import { beforeAll, describe } from 'vitest'
import { builtCLine, type CLine, missingForC } from '../../protocol/c/build.ts'
import { testCore } from './c/core.ts'

describe.skipIf(missingForC() !== undefined)('the core in C with the SHA-256 of the firmware', () => {
  let programs: CLine
  beforeAll(async () => {
    programs = await builtCLine()
  })
  testCore((cases) => programs.runVectors(cases), 0.02)
})
