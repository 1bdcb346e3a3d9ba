import { join } from 'node:path'
import type { ReadStream, WriteStream } from 'node:tty'
import { parseKey } from '../../protocol/keys.ts'
import type { CliOptions } from '../cli.ts'
import { startHubProcess } from '../demo/hub-process.ts'
import { createPartnerClient } from '../demo/partner-client.ts'
import { fileMemory } from '../device/memory/file.ts'
import { lockMemory } from '../device/memory/lock.ts'
import { createSpeaker, type Speaker } from '../speaker.ts'
import { openView } from '../view.ts'
import { loadScenario, type Scenario, ScenarioError } from './load.ts'
import { scenarioPartner } from './partner.ts'
import { configOf, playScenario } from './play.ts'
import { describeOutcome } from './report.ts'
import { isPartners } from './step.ts'

/** The process around it. */
export interface Surroundings {
  env: NodeJS.ProcessEnv
  stdout: WriteStream
  stdin: ReadStream
  pid: number
  /** Resolves when somebody wants it to end. */
  interrupted: Promise<undefined>
  /** Resolves when a speaker can't go on, with the reason. */
  failureOf: (speaker: Speaker) => Promise<string>
}

export interface Ended {
  /** 0 every step was met, 1 not, 2 the file is no scenario. */
  code: 0 | 1 | 2
  /** For the standard error. */
  complaint?: string
}

/** The speaker of a scenario, and who pays it. */
interface Cast {
  serial: string
  key: Buffer
  url: string
  stateDir: string
  partner?: { http: string; clientId: string; clientSecret: string } | undefined
}

/** Reads a scenario, builds what it takes, plays it, and takes everything down again. */
export async function stageScenario(options: CliOptions, around: Surroundings): Promise<Ended> {
  const { scenario: given } = options
  if (!given) throw new Error('there is no scenario to play')
  let scenario: Scenario
  try {
    scenario = loadScenario(given.file)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return { code: 2, complaint: error.message }
  }
  if (given.hub === 'own') return withOwnHub(around, (cast) => perform(scenario, cast, options, around))
  const needing = scenario.steps.find(({ step }) => isPartners(step))
  if (needing && !given.partner)
    return {
      code: 2,
      complaint: `${scenario.file}:${needing.line}: a partner has to do this: give --with-hub, or --http with CLIENT_ID and CLIENT_SECRET in the environment.`,
    }
  return perform(scenario, { ...options, partner: given.partner }, options, around)
}

async function withOwnHub({ env }: Surroundings, act: (cast: Cast) => Promise<Ended>): Promise<Ended> {
  const hub = await startHubProcess(env)
  try {
    const [{ clientId, clientSecret }, device] = await Promise.all([
      hub.createPartner('Scenario'),
      hub.addDevice('SCENARIO-0001'),
    ])
    const key = parseKey(device.key)
    if (!key) throw new Error('The hub has minted a key that is none.')
    return await act({
      serial: device.serial,
      key,
      url: hub.mqtt,
      stateDir: join(hub.folder, 'simulator'),
      partner: { http: hub.http, clientId, clientSecret },
    })
  } finally {
    await hub.stop()
  }
}

async function perform(
  scenario: Scenario,
  cast: Cast,
  options: CliOptions,
  around: Surroundings,
): Promise<Ended> {
  const { serial, key, url, stateDir, partner } = cast
  const unlock = lockMemory(stateDir, serial, around.pid)
  try {
    const speaker = createSpeaker({
      ...{ serial, key, url, memory: fileMemory(stateDir, serial), givesUp: true },
      config: configOf(scenario),
      faults: [...options.faults, ...scenario.speaker.faults],
    })
    const client = partner && createPartnerClient(partner.http, partner.clientId, partner.clientSecret)
    return await watch(scenario, speaker, client && scenarioPartner(client), options, around)
  } finally {
    unlock()
  }
}

async function watch(
  scenario: Scenario,
  speaker: Speaker,
  partner: ReturnType<typeof scenarioPartner> | undefined,
  options: CliOptions,
  { stdout, stdin, env, interrupted, failureOf }: Surroundings,
): Promise<Ended> {
  const failure = failureOf(speaker)
  const over = new AbortController()
  const view = await openView(speaker, { ...options, stdout, stdin, term: env.TERM, telling: true })
  const left = Promise.race([interrupted, view.closed])
  void Promise.race([failure, left.then(() => 'It was interrupted.')]).then((why) => over.abort(why))
  const outcome = await playScenario(scenario, { speaker, partner, view, signal: over.signal })
  // On a screen somebody wants to read what came of it.
  if (stdout.isTTY && !options.headless) await left
  await speaker.stop()
  await view.close()
  return outcome.ok ? { code: 0 } : { code: 1, complaint: describeOutcome(scenario, outcome).join('\n') }
}
