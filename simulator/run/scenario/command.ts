import { join } from 'node:path'
import type { Host } from '../../platform/host.ts'
import { fileMemory } from '../../speaker/memory/file.ts'
import { lockMemory } from '../../speaker/memory/lock.ts'
import { createSpeaker, type Speaker } from '../../speaker/speaker.ts'
import type { Credentials } from '../hub/hub-command.ts'
import { startHubProcess } from '../hub/hub-process.ts'
import { createPartnerClient } from '../hub/partner-client.ts'
import { type Outputs, outputsOf } from '../outputs.ts'
import { failureOf, type SpeakerOptions } from '../run-speaker.ts'
import { openView } from '../view.ts'
import { loadScenario, type Scenario, ScenarioError } from './load.ts'
import { scenarioPartner } from './partner.ts'
import { configOf, outcomeLine, playScenario } from './play.ts'
import { describeOutcome } from './report.ts'
import { isPartnerStep } from './step.ts'

/** A scenario as the command line asks for it. */
export interface ScenarioOptions {
  file: string
  /** The hub of --url, or a temporary one for the scenario. */
  hub: 'given' | 'own'
  /** The partner on the given hub; undefined without credentials. */
  partner: ({ http: string } & Credentials) | undefined
}

/** The speaker of a scenario, and its partner. */
interface Target {
  serial: string
  key: Buffer
  url: string
  stateDir: string
  partner?: ScenarioOptions['partner']
}

/** 0: passed; 1: failed; 2: invalid scenario. The explanation goes to standard error. */
type ExitCode = 0 | 1 | 2

/** Loads a scenario, starts what it needs, plays it and stops everything again. */
export async function runScenarioFile(
  given: ScenarioOptions,
  options: SpeakerOptions,
  host: Host,
): Promise<ExitCode> {
  // From here, a signal ends the scenario and everything that it started.
  void host.ended()
  let scenario: Scenario
  try {
    scenario = loadScenario(given.file)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return printError(host, error.message, 2)
  }
  if (given.hub === 'own') return withOwnHub(host, (target) => perform(scenario, target, options, host))
  const needing = scenario.steps.find(({ step }) => isPartnerStep(step))
  if (needing && !given.partner)
    return printError(
      host,
      `${scenario.file}:${needing.line}: this step needs a partner: use --with-hub, or --http with CLIENT_ID and CLIENT_SECRET in the environment.`,
      2,
    )
  return perform(scenario, { ...options, partner: given.partner }, options, host)
}

function printError({ stderr }: Host, complaint: string, code: ExitCode): ExitCode {
  stderr.write(`${complaint}\n`)
  return code
}

async function withOwnHub({ env }: Host, act: (target: Target) => Promise<ExitCode>): Promise<ExitCode> {
  const hub = await startHubProcess(env)
  try {
    const [{ clientId, clientSecret }, device] = await Promise.all([
      hub.createPartner('Scenario'),
      hub.addDevice('SCENARIO-0001'),
    ])
    return await act({
      serial: device.serial,
      key: device.key,
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
  target: Target,
  options: SpeakerOptions,
  host: Host,
): Promise<ExitCode> {
  const { serial, key, url, stateDir, partner } = target
  const outputs = outputsOf({ ...options, serial }, host)
  const unlock = lockMemory(stateDir, serial, host.pid)
  try {
    const speaker = createSpeaker({
      ...{ serial, key, url, memory: fileMemory(stateDir, serial), stopWhenRefused: true },
      config: { ...configOf(scenario), ...outputs.config },
      faults: [...options.faults, ...scenario.speaker.faults],
    })
    const client = partner && createPartnerClient(partner.http, partner.clientId, partner.clientSecret)
    const detach = outputs.attach(speaker)
    return await watch(scenario, { speaker, detach }, client && scenarioPartner(client), options, host)
  } finally {
    unlock()
  }
}

async function watch(
  scenario: Scenario,
  { speaker, detach }: { speaker: Speaker; detach: ReturnType<Outputs['attach']> },
  partner: ReturnType<typeof scenarioPartner> | undefined,
  options: SpeakerOptions,
  host: Host,
): Promise<ExitCode> {
  const { stdout, stdin, env } = host
  const failure = failureOf(speaker)
  const over = new AbortController()
  const view = await openView(speaker, { ...options, stdout, stdin, term: env.TERM, withLines: true })
  const left = Promise.race([host.ended(), view.closed])
  void Promise.race([failure, left.then(() => 'It was interrupted.')]).then((why) => over.abort(why))
  const outcome = await playScenario(scenario, { speaker, partner, view, signal: over.signal })
  // On a screen, leave the outcome visible until somebody quits.
  if (stdout.isTTY && !options.headless) await left
  await detach(speaker.stop())
  // The last line: its reader knows that the speaker has stopped.
  view.print(outcomeLine(scenario, outcome))
  await view.close()
  return outcome.ok ? 0 : printError(host, describeOutcome(scenario, outcome).join('\n'), 1)
}
