import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { ROOT } from '../docs/markdown.ts'
import { onceForRun } from '../processes/once-for-run.ts'

export const CLIENT_NAME = 'soundbox-hub-client'

/** Options of a client, in its text: a loaded machine may need ten minutes for an answer. */
export const PATIENT = ' timeLimitMs: 600_000, attemptLimitMs: 600_000,'

/**
 * The client as `npm pack` makes it, in the node_modules of a folder. The compiler is that of the repository. Resolves with
 * the folder; nobody may change what is in it.
 */
export function packedClient(): Promise<string> {
  return onceForRun('packed-client', (folder) => {
    const source = join(folder, 'source')
    const own = ['node_modules', 'dist']
    const filter = (path: string) => !own.includes(basename(path))
    cpSync(join(ROOT, 'clients/typescript'), source, { recursive: true, filter })
    const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
    const run = (command: string, ...args: string[]) => {
      const ended = spawnSync(command, args, { cwd: source, encoding: 'utf8', env: { ...process.env, PATH } })
      if (ended.status !== 0)
        throw new Error(`${command} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`)
      return ended.stdout
    }
    const lines = run('npm', 'pack', '--silent', '--pack-destination', folder).trim().split('\n')
    const installed = join(folder, 'node_modules', CLIENT_NAME)
    mkdirSync(installed, { recursive: true })
    run('tar', 'xzf', join(folder, lines.at(-1) ?? ''), '-C', installed, '--strip-components=1')
  })
}

/** Lets the programs of a folder import the client, as `npm install` does. */
export async function installClient(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  if (existsSync(modules)) return
  symlinkSync(join(await packedClient(), 'node_modules'), modules)
  const manifest = { type: 'module', dependencies: { [CLIENT_NAME]: '*' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
}
