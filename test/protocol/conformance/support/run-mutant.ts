import { expect } from 'vitest'
import { profileSchema } from '../../../../protocol/conformance/case/profile.ts'
import type { Report } from '../../../../protocol/conformance/report/report.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { idsOf, PROFILE, runKit } from './run-kit.ts'

/** The lines of ./bends.ts seal with the first key: a mutant of a rotation says that it can do it. */
const ONE_KEY = ['speaker', 'screen', 'qr']

export function runMutant({ mutation, profile, only = [] }: Mutant): Promise<Report> {
  return runKit({
    mutation: mutation(),
    only,
    profile: profileSchema.parse({ caps: ONE_KEY, ...PROFILE, ...Object(profile) }),
  })
}

/** The kit finds the mutant's mistake, and no other. */
export async function expectToFail(mutant: Mutant): Promise<void> {
  const report = await runMutant(mutant)
  expect(idsOf(report, 'fail').sort()).toEqual([...mutant.fails].sort())
  expect(idsOf(report, 'warn').sort()).toEqual([...(mutant.warns ?? [])].sort())
  expect(idsOf(report, 'error')).toEqual([])
}
