import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileTrouble } from '../../../platform/error-text.ts'
import { ScenarioError } from './scenario-error.ts'

const SCENARIO_FILE = /\.ya?ml$/

/**
 * The scenario files that a path stands for: a file for itself, a folder for those in it and below it. Throws a
 * `ScenarioError` for a folder that has none or can't be read.
 */
export function findScenarios(path: string): string[] {
  return isFolder(path) ? filesBelow(path) : [path]
}

/** Whatever is no folder is read as a file, which may fail. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function filesBelow(folder: string): string[] {
  const fail = (message: string): never => {
    throw new ScenarioError([{ file: folder, message }])
  }
  try {
    const found = scenariosIn(folder)
    return found.length > 0 ? found : fail('there is no scenario (*.yaml, *.yml) in this folder')
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    return fail(`it can't be read: ${fileTrouble(error)}`)
  }
}

/** The files of a folder come before those of its subfolders. Hidden folders and packages are left out. */
function scenariosIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = entries.filter((entry) => !entry.isDirectory() && SCENARIO_FILE.test(entry.name))
  const folders = entries.filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
  )
  return [
    ...files.map(({ name }) => join(folder, name)),
    ...folders.flatMap(({ name }) => scenariosIn(join(folder, name))),
  ]
}
