import { expect } from 'vitest'
import { type Mistake, USUAL_CASES } from '../mistakes/mistake.ts'
import { idsOf, runKit } from './run-kit.ts'

/** The mistake is one failure, its sentence is in it, and the other cases are run. */
export async function expectLikely({
  mutation,
  only,
  fails,
  likely,
  isFatal = false,
}: Mistake): Promise<void> {
  const report = await runKit({ mutation: mutation(), only: only ?? USUAL_CASES })
  expect([...idsOf(report, 'fail'), ...idsOf(report, 'warn')]).toEqual([fails])
  const failed = report.results.find(({ id }) => id === fails)
  expect(failed?.findings.map(({ hint }) => hint).join('\n')).toMatch(likely)
  const notRun = report.results.filter(({ verdict }) => verdict === 'error')
  expect(notRun.length > 0).toBe(isFatal)
  // Every case that could not run repeats the cause.
  for (const { note } of notRun) expect(note).toMatch(likely)
}
