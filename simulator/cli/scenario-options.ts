import type { Command } from 'commander'
import { mistake } from './mistake.ts'

export interface ScenarioOptions {
  file: string
  /** The one that --url names, or one that is started for the scenario and thrown away. */
  hub: 'given' | 'own'
  /** Who acts for the partner on the given hub; undefined when nobody can. */
  partner: { http: string; clientId: string; clientSecret: string } | undefined
}

export interface ScenarioGiven {
  scenario?: string
  withHub: boolean
  http?: string
}

export function addScenarioOptions(command: Command): Command {
  return command
    .option(
      '--scenario <file>',
      'play a scenario (YAML): exit 0 all met, 1 a step was not, 2 the file is wrong',
    )
    .option('--with-hub', 'scenario: start a hub, a partner and a speaker for it, and throw them away', false)
    .option(
      '--http <url>',
      "scenario: the hub's HTTP address, for steps of the partner (CLIENT_ID and CLIENT_SECRET in the environment)",
    )
}

/** What the options say of a scenario; undefined when there is none. */
export function scenarioOf(
  command: Command,
  { scenario: file, withHub, http }: ScenarioGiven,
  env: NodeJS.ProcessEnv,
): ScenarioOptions | undefined {
  if (file === undefined) {
    if (withHub) mistake(command, '--with-hub goes with --scenario.')
    if (http !== undefined) mistake(command, '--http goes with --scenario.')
    return undefined
  }
  if (withHub && http !== undefined) mistake(command, '--with-hub starts a hub of its own; leave --http out.')
  if (http === undefined) return { file, hub: withHub ? 'own' : 'given', partner: undefined }
  if (!URL.parse(http)?.protocol.match(/^https?:$/))
    mistake(command, '--http: give an address such as http://127.0.0.1:8080.')
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = env
  if (!clientId || !clientSecret)
    mistake(command, '--http: set CLIENT_ID and CLIENT_SECRET, as `hub partner create` prints them.')
  return { file, hub: 'given', partner: { http: http.replace(/\/+$/, ''), clientId, clientSecret } }
}
