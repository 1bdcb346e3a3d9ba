import type { z } from 'zod'
import { WrongUsage } from '../../../platform/errors.ts'
import { issuesOf, issueText, pathText } from '../../scenario/file/issues.ts'
import { readText } from '../../scenario/file/read-text.ts'
import { readYaml } from '../../scenario/file/read-yaml.ts'
import { ScenarioError } from '../../scenario/file/scenario-error.ts'
import { fleetScenarioFile } from './schema.ts'

export type FleetScenario = z.infer<typeof fleetScenarioFile>

/** Reads the scenario file of a fleet. Throws `WrongUsage` with every mistake, its file and its line. */
export function readFleetScenario(file: string): FleetScenario {
  try {
    return parse(file, readText(file))
  } catch (error) {
    if (error instanceof ScenarioError) throw new WrongUsage(error.message)
    throw error
  }
}

function parse(file: string, text: string): FleetScenario {
  const { value, lineOf } = readYaml(file, text)
  const parsed = fleetScenarioFile.safeParse(value, { error: issueText })
  if (parsed.success) return parsed.data
  throw new ScenarioError(
    issuesOf(parsed.error).map(({ path, message }) => ({
      ...{ file, line: lineOf(path) },
      message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
    })),
  )
}
