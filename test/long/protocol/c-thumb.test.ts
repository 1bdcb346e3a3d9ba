import { describe } from 'vitest'
import { missingForThumb } from '../../protocol/c/thumb.ts'
import { testCore } from '../../whole/protocol/c/core.ts'
import { thumbRun } from '../../whole/protocol/c/thumb-run.ts'

const missing = missingForThumb()
if (missing !== undefined) process.stderr.write(`The core is not tested on a Cortex-M4: ${missing}.\n`)

describe.skipIf(missing !== undefined)('the core in C on a Cortex-M4, with all random cases', () => {
  testCore(thumbRun())
})
