import { watch } from 'node:fs/promises'
import { start } from './process.ts'

/**
 * Runs a command of the hub, and kills it as soon as a file of that name appears in the folder. Resolves with its exit
 * code: null when it was killed.
 */
export async function killedAtFile(
  folder: string,
  name: RegExp,
  args: string[],
  env: Record<string, string>,
) {
  const { child, ended } = start(process.execPath, ['server/operate/cli/main.ts', ...args], env)
  const over = new AbortController()
  const stop = () => over.abort()
  ended.then(stop, stop)
  try {
    for await (const { filename } of watch(folder, { signal: over.signal }))
      if (filename && name.test(filename)) child.kill('SIGKILL')
  } catch (error) {
    if (!over.signal.aborted) throw error
  }
  return (await ended).code
}
