import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROJECT = fileURLToPath(new URL('../../../..', import.meta.url))
const SENTENCE =
  /^The tests need Node\.js \d+, and this is [\d.]+: run `npm test`, or put node_modules\/\.bin first on PATH\.\n$/

function run(node: string, ...args: string[]) {
  return spawnSync(node, args, { cwd: PROJECT, encoding: 'utf8' })
}

/** Where systems install a Node.js of their own. */
const SYSTEM = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']

it('ends with one sentence on a Node.js that is too old', () => {
  const program = "import { requireNode } from './test/support/runner/require-node.ts'; requireNode(999)"
  const ended = run(process.execPath, '--input-type=module-typescript', '-e', program)
  expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(SENTENCE) })
})

it('Vitest ends with that sentence when an editor starts it by the Node.js of the system', ({ skip }) => {
  const major = (node: string) => Number.parseInt(run(node, '-p', 'process.versions.node').stdout ?? '', 10)
  const old = SYSTEM.find((node) => major(node) < 24)
  if (old === undefined) return skip('this system has no older Node.js')
  const ended = run(old, 'node_modules/vitest/vitest.mjs', 'run', 'test/server/platform/disk.test.ts')
  expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(SENTENCE) })
})
