import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../support/docs/markdown.ts'
import { temporaryFolder } from '../../support/folder.ts'

/** Where systems install a Node.js of their own. */
const SYSTEM = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']
const SENTENCE =
  /^Soundbox Hub needs Node\.js 24, and this is [\d.]+: install again without --omit=optional, which brings it, or put Node\.js 24 first on PATH\.\n$/

const run = (file: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(file, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...env } })
const old = SYSTEM.find(
  (node) => existsSync(node) && Number.parseInt(run(node, ['-v']).stdout.slice(1), 10) < 24,
)

/** What npm runs for a script, without the folder of the own Node.js. */
const scripts: Record<string, string> = JSON.parse(run('cat', [join(ROOT, 'package.json')]).stdout).scripts

it.skipIf(old === undefined).each(['start', 'demo', 'hub', 'simulator', 'conformance'])(
  'npm run %s ends with one sentence on a Node.js that is too old',
  (name) => {
    const command = String(scripts[name]).replace('exec node', `exec ${old}`)
    const ended = run('sh', ['-c', command], { HUB_DATA_DIR: join(temporaryFolder(), 'none') })
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(SENTENCE) })
  },
)
