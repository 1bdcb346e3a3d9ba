import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../wait.ts'

/**
 * Makes something that takes long, such as a build, in a folder of its name: the first worker of a run that asks does, and
 * the others wait. Resolves with the folder, which nobody may change. It lasts as long as the run. What can't be made fails
 * for all who ask.
 */
export async function onceForRun(
  name: string,
  make: (folder: string) => void | Promise<void>,
): Promise<string> {
  const folder = join(runFolder(), name)
  const [made, failed] = [`${folder}.made`, `${folder}.failed`]
  // Undefined when it was there.
  const isFirst = mkdirSync(folder, { recursive: true }) !== undefined
  if (isFirst) {
    try {
      await make(folder)
      writeFileSync(made, '')
    } catch (error) {
      writeFileSync(failed, String(error))
    }
  }
  await until(made, () => existsSync(made) || existsSync(failed))
  if (existsSync(failed)) throw new Error(`${name} could not be made: ${readFileSync(failed, 'utf8')}`)
  return folder
}

/** Vitest gives each run a folder. Another process, such as a benchmark, has its own. */
let known = process.env.TEST_RUN_FOLDER

function runFolder(): string {
  if (known !== undefined) return known
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-run-'))
  // As the folder of Vitest's runs: PostgreSQL refuses to run as root, and another user reads what is in it.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  known = folder
  return folder
}
