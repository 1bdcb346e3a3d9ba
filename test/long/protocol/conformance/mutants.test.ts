import { describe, it } from 'vitest'
import { MUTANTS } from '../../../protocol/conformance/mutants/all.ts'
import { expectToFail } from '../../../protocol/conformance/support/run-mutant.ts'
import { share } from '../../../support/seed.ts'

/** The speakers that test/protocol/conformance/mutants.test.ts leaves out at this commit. */
describe('a speaker that', () => {
  it.each(share(MUTANTS, 40).rest)('$name', expectToFail)
})
