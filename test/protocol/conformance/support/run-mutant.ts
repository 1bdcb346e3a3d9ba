import { profileSchema } from '../../../../protocol/conformance/case/profile.ts'
import type { Report } from '../../../../protocol/conformance/report/report.ts'
import type { Mutant } from '../mutants/mutant.ts'
import { PROFILE, runKit } from './run-kit.ts'

export function runMutant({ mutation, profile, only = [] }: Mutant): Promise<Report> {
  return runKit({
    mutation: mutation(),
    only,
    profile: profile === undefined ? PROFILE : profileSchema.parse(profile),
  })
}
