import { beforeAll, describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import type { Report } from '../../../protocol/conformance/report/report.ts'
import { MUTANTS } from './mutants/all.ts'
import { idsOf } from './support/run-kit.ts'
import { runMutant } from './support/run-mutant.ts'

/** They run side by side, and mostly wait for sockets; a crowded machine takes its time. */
const TIMEOUT_MS = 300_000

/** Cases that no mutant here can fail, each with the reason. */
const UNPROVEN: Readonly<Record<string, string>> = {
  'connection/pings': "the keepalive of the speaker's MQTT library goes by the clock of the machine",
  'reconnection/half-open': "the keepalive of the speaker's MQTT library goes by the clock of the machine",
  'size/joined': "which packets share a segment is for the machine's own network to choose",
}

/** A kit is worth what it finds: every speaker here makes one mistake, and fails what it should, and nothing else. */
describe('a speaker that', () => {
  const reports = new Map<string, Report>()

  beforeAll(async () => {
    await Promise.all(MUTANTS.map(async (mutant) => reports.set(mutant.name, await runMutant(mutant))))
  }, TIMEOUT_MS)

  it.each(MUTANTS)('$name', ({ name, fails, warns = [] }) => {
    const report = reports.get(name)
    expect(report && sorted(idsOf(report, 'fail'))).toEqual(sorted(fails))
    expect(report && idsOf(report, 'warn')).toEqual(warns)
    expect(report && idsOf(report, 'error')).toEqual([])
  })

  it.each([
    ['logs in with the key itself', 'connection/password', /the key K itself/],
    ['signs its acks with half a prefix', 'mac/ack', /sb1\/up, the prefix without sid and kind/],
  ])('%s: gets the likely cause', (name, id, why) => {
    const result = reports.get(name)?.results.find((one) => one.id === id)
    expect(result?.findings[0]?.hint).toMatch(why)
  })
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

function sorted(ids: readonly string[]): string[] {
  return [...ids].sort()
}
