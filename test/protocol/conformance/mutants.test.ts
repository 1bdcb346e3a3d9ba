import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { share } from '../../support/seed.ts'
import { MUTANTS } from './mutants/all.ts'
import { expectToFail } from './support/run-mutant.ts'

/** Cases that no mutant here can fail, each with the reason. */
const UNPROVEN: Readonly<Record<string, string>> = {
  'connection/pings': "the keepalive of the speaker's MQTT library goes by the clock of the machine",
  'reconnection/half-open': "the keepalive of the speaker's MQTT library goes by the clock of the machine",
}

/** A kit is worth what it finds: every speaker here makes one mistake, and fails what it should, and nothing else. */
describe('a speaker that', () => {
  // test/whole/protocol/conformance/mutants.test.ts runs the rest.
  it.each(share(MUTANTS, 4).part)('$name', expectToFail)
})

describe('every case', () => {
  const failed = new Set(MUTANTS.flatMap(({ fails, warns = [] }) => [...fails, ...warns]))

  it('can fail, or states why no test shows it', () => {
    const idle = loadCases().filter(({ id }) => !failed.has(id) && UNPROVEN[id] === undefined)
    expect(idle.map(({ id }) => id)).toEqual([])
  })

  it('has an excuse only if it needs one', () => {
    expect(Object.keys(UNPROVEN).filter((id) => failed.has(id))).toEqual([])
  })
})
