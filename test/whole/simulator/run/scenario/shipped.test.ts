import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseKey } from '../../../../../protocol/keys.ts'
import { createPartnerClient } from '../../../../../simulator/run/hub/partner-client.ts'
import { loadScenario } from '../../../../../simulator/run/scenario/load.ts'
import { scenarioPartner } from '../../../../../simulator/run/scenario/partner.ts'
import { configOf } from '../../../../../simulator/run/scenario/play.ts'
import { describeOutcome } from '../../../../../simulator/run/scenario/report.ts'
import { type Outcome, runScenario } from '../../../../../simulator/run/scenario/run.ts'
import { volatileMemory } from '../../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../../../simulator/speaker/speaker.ts'
import { startLaggingClock } from '../../../../simulator/support/lagging-clock.ts'
import { readmeOf } from '../../../../simulator/support/readme.ts'
import { startTestHub, type TestHub } from '../../../../support/hub.ts'

const FOLDER = fileURLToPath(new URL('../../../../../simulator/scenarios/', import.meta.url))
const NAMES = readdirSync(FOLDER).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? [])

/** Scenarios mostly wait, so they run in parallel on one hub, each with its own partner and speaker. */
describe('every scenario that ships', () => {
  const played = new Map<string, string[]>()
  const ends: (() => void | Promise<void>)[] = []

  beforeAll(async () => {
    const hub = await startTestHub({ onEnd: (end) => void ends.push(end) })
    await Promise.all(NAMES.map(async (name) => played.set(name, failureOf(await play(hub, name), name))))
  })
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  it.each(NAMES)('%s passes', (name) => {
    expect(played.get(name)).toEqual([])
  })

  it('is in the README with its description', () => {
    const readme = readmeOf('simulator/scenarios')
    for (const name of NAMES)
      expect(readme).toContain(`| [${name}](${name}.yaml) | ${loadScenario(fileOf(name)).about} |`)
  })
})

async function play(hub: TestHub, name: string): Promise<Outcome> {
  const scenario = loadScenario(fileOf(name))
  const [{ clientId, clientSecret }, { serial, key }] = await Promise.all([hub.partner(), hub.device()])
  const speaker = createSpeaker({
    ...{ serial, key: parseKey(key) ?? Buffer.alloc(0), url: hub.mqtt, memory: volatileMemory() },
    config: configOf(scenario),
    faults: scenario.speaker.faults,
    random: () => 0.5,
  })
  const clock = startLaggingClock()
  const partner = scenarioPartner(createPartnerClient(hub.http, clientId, clientSecret))
  try {
    return await runScenario(scenario, { speaker, partner, clock })
  } finally {
    clock.stop()
    await speaker.stop()
  }
}

function failureOf(outcome: Outcome, name: string): string[] {
  return outcome.ok ? [] : describeOutcome(loadScenario(fileOf(name)), outcome)
}

function fileOf(name: string): string {
  return `${FOLDER}${name}.yaml`
}
