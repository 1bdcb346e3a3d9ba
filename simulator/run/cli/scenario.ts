import type { Command } from 'commander'
import { boxAddress } from '../hub/running-hub.ts'
import type { ScenarioOptions } from '../scenario/command.ts'
import { brokerUrl, credentialsIn, httpUrl, usageError } from './values.ts'

interface Given {
  scenario?: string[]
  junit?: string
  withHub?: boolean
  http?: string
  boxUrl?: string
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
    .option(
      '--box-url <url>',
      "the hub's listener for boxes, for a box (BOX_PASSWORD or BOX_SECRET in the environment)",
      brokerUrl,
    )
    .option('--junit <file>', 'write the results of scenarios as JUnit XML')
    .option(
      '--http <url>',
      "the hub's HTTP address, for partner steps (CLIENT_ID and CLIENT_SECRET in the environment)",
      httpUrl,
    )
}

/** The scenario options; undefined without `--scenario`. */
export function scenarioOf(command: Command, env: NodeJS.ProcessEnv): ScenarioOptions | undefined {
  const { scenario: paths, withHub = false, http, boxUrl, junit, control } = command.opts<Given>()
  if (paths === undefined) {
    if (withHub) usageError(command, '--with-hub needs --scenario.')
    if (http !== undefined) usageError(command, '--http needs --scenario.')
    if (boxUrl !== undefined) usageError(command, '--box-url needs --scenario or --dialect.')
    if (junit !== undefined) usageError(command, '--junit needs --scenario.')
    return undefined
  }
  if (control) usageError(command, '--control: a scenario performs its own actions.')
  if (withHub && http !== undefined) usageError(command, '--with-hub starts its own hub: omit --http.')
  if (withHub && boxUrl !== undefined)
    usageError(command, '--with-hub starts its own hub and mints its own boxes: omit --box-url.')
  if (withHub) return { paths, hub: 'own', partner: undefined, junit }
  const { BOX_PASSWORD: password, BOX_SECRET: secret } = env
  const box = {
    url: boxUrl ?? boxAddress(env),
    ...(password !== undefined && { password }),
    ...(secret !== undefined && { secret }),
  }
  if (http === undefined) return { paths, hub: 'given', partner: undefined, box, junit }
  const credentials = credentialsIn(env)
  if (!credentials)
    usageError(command, '--http: set CLIENT_ID and CLIENT_SECRET, as `hub partner create` prints them.')
  return { paths, hub: 'given', partner: { http, ...credentials }, box, junit }
}
