import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseKey } from '../../../../../protocol/keys.ts'
import type { Clock } from '../../../../../simulator/platform/clock.ts'
import { createPartnerClient } from '../../../../../simulator/run/hub/partner-client.ts'
import {
  loadScenario,
  parseScenario,
  type Scenario,
} from '../../../../../simulator/run/scenario/file/load.ts'
import { isBoxHardware } from '../../../../../simulator/run/scenario/file/schema.ts'
import { verbOf } from '../../../../../simulator/run/scenario/file/steps.ts'
import { type ScenarioPartner, scenarioPartner } from '../../../../../simulator/run/scenario/play/partner.ts'
import { type Outcome, runScenario } from '../../../../../simulator/run/scenario/play/run.ts'
import { describeOutcome } from '../../../../../simulator/run/scenario/report/describe.ts'
import { configOf } from '../../../../../simulator/run/scenario/show.ts'
import { volatileMemory } from '../../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../../../../simulator/speaker/speaker.ts'
import { asHubClock, startLaggingClock } from '../../../../simulator/support/lagging-clock.ts'
import { readmeOf } from '../../../../simulator/support/readme.ts'
import { startTestHub, type TestHub } from '../../../../support/hub.ts'

const FOLDER = fileURLToPath(new URL('../../../../../simulator/scenarios/', import.meta.url))
const NAMES = readdirSync(FOLDER).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? [])
/** The partner's requests have a deadline of real time. */
const PATIENT = { answerWithinMs: 600_000 }
const README = readmeOf('simulator/scenarios')
/** The examples of the README. */
const EXAMPLES = [...README.matchAll(/```yaml\n(about: [\s\S]*?)```/g)].map(([, text = '']) =>
  parseScenario('README.md', text),
)
/** process.test.ts plays those that end their hub, and those of boxes, which need its command line. */
const HERE = [...NAMES.map((name) => loadScenario(fileOf(name))), ...EXAMPLES].filter(({ steps }) =>
  steps.every(({ raw, kind }) => verbOf(raw) !== 'hub' && kind === 'sb1'),
)

/**
 * Scenarios mostly wait, so they run in parallel on one hub, each with its own partners and speakers. All of them have one
 * clock, which stands still while the machine is too busy to run this process.
 */
describe('every scenario that ships', () => {
  const played = new Map<string, string[]>()
  const ends: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    const clock = startLaggingClock()
    ends.push(() => clock.stop())
    const hub = await startTestHub({ clock: asHubClock(clock), onEnd: (end) => void ends.push(end) })
    await Promise.all(
      HERE.map(async (one) => played.set(one.about, failureOf(await play(hub, clock, one), one))),
    )
  })
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  it.each(HERE.map(({ about }) => about))('passes: %s', (about) => {
    expect(played.get(about)).toEqual([])
  })

  it('has examples in the README', () => {
    expect(EXAMPLES).toHaveLength(3)
  })

  it('is in the README with its description', () => {
    for (const name of NAMES)
      expect(README).toContain(`| [${name}](${name}.yaml) | ${loadScenario(fileOf(name)).about} |`)
  })
})

async function play(hub: TestHub, clock: Clock, scenario: Scenario): Promise<Outcome> {
  const speakers = await Promise.all(
    [...scenario.hardware].map(async ([actor, hardware]): Promise<[string, Speaker]> => {
      if (isBoxHardware(hardware)) throw new Error(`${actor} is a box`)
      const { serial, key } = await hub.device()
      const speaker = createSpeaker({
        ...{ serial, key: parseKey(key) ?? Buffer.alloc(0), url: hub.mqtt, memory: volatileMemory() },
        clock,
        config: configOf(hardware),
        faults: hardware.faults,
        random: () => 0.5,
      })
      return [actor, speaker]
    }),
  )
  const partners = await Promise.all(
    scenario.partners.map(async (actor): Promise<[string, ScenarioPartner]> => {
      const { clientId, clientSecret } = await hub.partner()
      return [actor, scenarioPartner(createPartnerClient(hub.http, clientId, clientSecret, PATIENT))]
    }),
  )
  try {
    return await runScenario(scenario, { speakers: new Map(speakers), partners: new Map(partners), clock })
  } finally {
    await Promise.all(speakers.map(([, speaker]) => speaker.stop()))
  }
}

function failureOf(outcome: Outcome, scenario: Scenario): string[] {
  return outcome.ok ? [] : describeOutcome(scenario, outcome)
}

function fileOf(name: string): string {
  return `${FOLDER}${name}.yaml`
}
