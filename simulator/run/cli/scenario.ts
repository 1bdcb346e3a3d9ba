import type { Command } from 'commander'
import type { ScenarioOptions } from '../scenario/command.ts'
import { credentialsIn, httpUrl, usageError } from './values.ts'

interface Given {
  scenario?: string
  withHub?: boolean
  http?: string
  control?: boolean
}

export function withScenarioOptions(command: Command): Command {
  return command
    .optionsGroup('Scenario:')
    .option(
      '--scenario <file>',
      'play a scenario (YAML): exit 0 passed, 1 a step failed, 2 the file is invalid',
    )
    .option('--with-hub', 'use a temporary hub, partner and speaker')
    .option(
      '--http <url>',
      "the hub's HTTP address, for partner steps (CLIENT_ID and CLIENT_SECRET in the environment)",
      httpUrl,
    )
}

/** The scenario options; undefined without `--scenario`. */
export function scenarioOf(command: Command, env: NodeJS.ProcessEnv): ScenarioOptions | undefined {
  const { scenario: file, withHub = false, http, control } = command.opts<Given>()
  if (file === undefined) {
    if (withHub) usageError(command, '--with-hub needs --scenario.')
    if (http !== undefined) usageError(command, '--http needs --scenario.')
    return undefined
  }
  if (control) usageError(command, '--control: a scenario performs its own actions.')
  if (withHub && http !== undefined) usageError(command, '--with-hub starts its own hub: omit --http.')
  if (http === undefined) return { file, hub: withHub ? 'own' : 'given', partner: undefined }
  const credentials = credentialsIn(env)
  if (!credentials)
    usageError(command, '--http: set CLIENT_ID and CLIENT_SECRET, as `hub partner create` prints them.')
  return { file, hub: 'given', partner: { http, ...credentials } }
}
