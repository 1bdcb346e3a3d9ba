import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { share } from '../../support/seed.ts'
import { MUTANTS } from './mutants/all.ts'
import { expectToFail, runMutant } from './support/run-mutant.ts'

/** A kit is worth what it finds: every speaker here makes one mistake, and fails what it should, and nothing else. */
describe('a speaker that', () => {
  // test/whole/protocol/conformance/mutants.test.ts runs the rest.
  it.each(share(MUTANTS, 4).part)('$name', expectToFail)

  it.each([
    ['logs in with the key itself', 'connection/password', /the key K itself/],
    ['signs its acks with half a prefix', 'mac/ack', /sb1\/up, the prefix without sid and kind/],
  ])('%s: gets the likely cause', async (name, id, why) => {
    const [mutant] = MUTANTS.filter((one) => one.name === name)
    const report = mutant && (await runMutant({ ...mutant, only: [id] }))
    const result = report?.results.find((one) => one.id === id)
    expect(result?.findings[0]?.hint).toMatch(why)
  })
})

describe('every case', () => {
  const failed = new Set(MUTANTS.flatMap(({ fails, warns = [] }) => [...fails, ...warns]))

  it('can fail', () => {
    const idle = loadCases().filter(({ id }) => !failed.has(id))
    expect(idle.map(({ id }) => id)).toEqual([])
  })
})
