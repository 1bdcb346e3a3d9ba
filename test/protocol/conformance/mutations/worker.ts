import { parentPort } from 'node:worker_threads'
import { loadCases } from '../../../../protocol/conformance/case/load.ts'
import { profileSchema } from '../../../../protocol/conformance/case/profile.ts'
import type { DeviceConfig } from '../../../../simulator/speaker/device/state/state.ts'
import { type KitRun, runKit } from '../support/run-kit.ts'
import type { Edit } from './edit.ts'
import { MutantModules } from './mutant-modules.ts'
import { type Findings, type Outcome, outcomeOf } from './outcome.ts'
import { ROOT } from './settings.ts'

/** Runs the kit on one speaker after the other. A speaker that throws ends this thread. */

/** All cases, the slow ones too. */
const ONLY = loadCases().map(({ id }) => id)
/** An edit may show only in a speaker that lacks something. */
const KINDS: readonly KitRun[] = [
  {},
  lacking({ caps: ['speaker'], languages: ['en'] }),
  lacking({ caps: ['screen', 'update'], languages: ['vi'], declinesUpdates: false }),
  lacking({ caps: ['screen', 'qr'], languages: ['vi'] }),
]

const modules = new MutantModules(ROOT)

parentPort?.on('message', async (edit: Edit) => parentPort?.postMessage(await outcomeWith(edit)))

async function outcomeWith(edit: Edit): Promise<Outcome> {
  const made = await modules.speakerOf(edit).then(
    (create) => ({ create }),
    (error: unknown) => ({ error: String(error) }),
  )
  if ('error' in made) return { how: 'no program', error: made.error }
  let outcome: Outcome = { how: 'escaped' }
  for (const { mutation, ...run } of KINDS) {
    if (outcome.how === 'escaped')
      outcome = outcomeOf(await findingsOf({ ...run, mutation: { ...mutation, ...made } }))
  }
  return outcome
}

async function findingsOf(run: KitRun): Promise<Findings> {
  const { connected, results } = await runKit({ ...run, only: ONLY })
  const ids = (verdict: string) => results.filter((one) => one.verdict === verdict).map(({ id }) => id)
  return { connected, fail: ids('fail'), warn: ids('warn'), error: ids('error') }
}

function lacking(config: Pick<DeviceConfig, 'caps' | 'languages'> & Partial<DeviceConfig>): KitRun {
  const { caps, languages: lang } = config
  return { mutation: { config }, profile: profileSchema.parse({ clock: 'hub', caps, lang }) }
}
