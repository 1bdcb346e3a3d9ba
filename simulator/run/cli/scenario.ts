import type { Command } from 'commander'
import type { ScenarioOptions } from '../scenario/command.ts'
import { credentialsIn, httpUrl, usageError } from './values.ts'

interface Given {
  scenario?: string[]
  junit?: string
  withHub?: boolean
  http?: string
  control?: boolean
}

export function withScenarioOptions(command: Command): Command {
  return command
    .optionsGroup('Scenario:')
    .option(
      '--scenario <paths...>',
      'play scenarios (YAML): files, or folders of them; exit 0 all passed, 1 one failed, 2 a file is invalid',
    )
    .option('--with-hub', 'use temporary hubs, partners and speakers')
    .option('--junit <file>', 'write the results of scenarios as JUnit XML')
    .option(
      '--http <url>',
      "the hub's HTTP address, for partner steps (CLIENT_ID and CLIENT_SECRET in the environment)",
      httpUrl,
    )
}

/** The scenario options; undefined without `--scenario`. */
export function scenarioOf(command: Command, env: NodeJS.ProcessEnv): ScenarioOptions | undefined {
  const { scenario: paths, withHub = false, http, junit, control } = command.opts<Given>()
  if (paths === undefined) {
    if (withHub) usageError(command, '--with-hub needs --scenario.')
    if (http !== undefined) usageError(command, '--http needs --scenario.')
    if (junit !== undefined) usageError(command, '--junit needs --scenario.')
    return undefined
  }
  if (control) usageError(command, '--control: a scenario performs its own actions.')
  if (withHub && http !== undefined) usageError(command, '--with-hub starts its own hub: omit --http.')
  if (http === undefined) return { paths, hub: withHub ? 'own' : 'given', partner: undefined, junit }
  const credentials = credentialsIn(env)
  if (!credentials)
    usageError(command, '--http: set CLIENT_ID and CLIENT_SECRET, as `hub partner create` prints them.')
  return { paths, hub: 'given', partner: { http, ...credentials }, junit }
}
