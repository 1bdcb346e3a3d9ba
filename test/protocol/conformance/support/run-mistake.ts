import { createHash } from 'node:crypto'
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
  const report = await runKit({ mutation: { newSid: fixedSids(), ...mutation() }, only: only ?? USUAL_CASES })
  expect([...idsOf(report, 'fail'), ...idsOf(report, 'warn')]).toEqual([fails])
  const failed = report.results.find(({ id }) => id === fails)
  expect(failed?.findings.map(({ hint }) => hint).join('\n')).toMatch(likely)
  const notRun = report.results.filter(({ verdict }) => verdict === 'error')
  expect(notRun.length > 0).toBe(isFatal)
  // Every case that could not run repeats the cause.
  for (const { note } of notRun) expect(note).toMatch(likely)
}

/** The same in each run: a MAC that has no - or _ is right in standard base64 too. */
function fixedSids(): () => string {
  let n = 0
  return () => createHash('sha256').update(`session ${n++}`).digest('hex').slice(0, 16)
}
