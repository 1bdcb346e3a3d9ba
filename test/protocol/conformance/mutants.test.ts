import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { share } from '../../support/seed.ts'
import { MUTANTS } from './mutants/all.ts'
import { expectToFail } from './support/run-mutant.ts'

/** A kit is worth what it finds: every speaker here makes one mistake, and fails what it should, and nothing else. */
describe('a speaker that', () => {
  // test/long/protocol/conformance/mutants.test.ts runs the rest.
  it.each(share(MUTANTS, 40).part)('$name', expectToFail)
})

describe('every case', () => {
  const failed = new Set(MUTANTS.flatMap(({ fails, warns = [] }) => [...fails, ...warns]))

  it('can fail', () => {
    const idle = loadCases().filter(({ id }) => !failed.has(id))
    expect(idle.map(({ id }) => id)).toEqual([])
  })
})
