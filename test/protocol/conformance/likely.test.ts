import { describe, it } from 'vitest'
import { share } from '../../support/seed.ts'
import { MISTAKES } from './mistakes/all.ts'
import { expectLikely } from './support/run-mistake.ts'

describe('a speaker that', () => {
  // test/whole/protocol/conformance/likely.test.ts runs the rest.
  it.each(share(MISTAKES, 8).part)('$name: one case fails, and says why', expectLikely)
})
