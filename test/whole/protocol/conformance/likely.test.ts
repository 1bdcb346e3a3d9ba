import { describe, it } from 'vitest'
import { MISTAKES } from '../../../protocol/conformance/mistakes/all.ts'
import { expectLikely } from '../../../protocol/conformance/support/run-mistake.ts'
import { share } from '../../../support/seed.ts'

/** The speakers that test/protocol/conformance/likely.test.ts leaves out at this commit. */
describe('a speaker that', () => {
  it.each(share(MISTAKES, 8).rest)('$name: one case fails, and says why', expectLikely)
})
