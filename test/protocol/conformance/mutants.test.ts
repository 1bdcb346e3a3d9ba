import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../../../protocol/conformance/report/report.ts'
import { IN_ITS_CLOCK } from './mutants/in-its-clock.ts'
import { IN_WHAT_IT_ANSWERS } from './mutants/in-what-it-answers.ts'
import { IN_WHAT_IT_REMEMBERS } from './mutants/in-what-it-remembers.ts'
import { ON_THE_LINE } from './mutants/on-the-line.ts'
import { idsOf, runKit } from './support/run-kit.ts'

const MUTANTS = [...ON_THE_LINE, ...IN_WHAT_IT_ANSWERS, ...IN_ITS_CLOCK, ...IN_WHAT_IT_REMEMBERS]
/** They run side by side, and mostly wait for sockets; a crowded machine takes its time. */
const TIMEOUT_MS = 180_000

/** A kit is worth what it finds: every speaker here makes one mistake, and fails what it should, and nothing else. */
describe('a speaker that', () => {
  const reports = new Map<string, Report>()

  beforeAll(async () => {
    await Promise.all(
      MUTANTS.map(async ({ name, mutation }) => reports.set(name, await runKit({ mutation: mutation() }))),
    )
  }, TIMEOUT_MS)

  it.each(MUTANTS)('$name', ({ name, fails, warns = [] }) => {
    const report = reports.get(name)
    expect(report && sorted(idsOf(report, 'fail'))).toEqual(sorted(fails))
    expect(report && idsOf(report, 'warn')).toEqual(warns)
    expect(report && idsOf(report, 'error')).toEqual([])
  })
})

function sorted(ids: readonly string[]): string[] {
  return [...ids].sort()
}
