import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  describeArguments,
  nameOfUser,
  userOfFile,
} from '../../../../../server/storage/sqlite/engine/file-users.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { until } from '../../../../support/wait.ts'

/** A test skips what the machine lacks: a system has /proc, or lsof and ps. */
const hasProc = existsSync('/proc/self/fd')
const hasLsof = ['lsof', 'ps'].every((program) => spawnSync(program, ['-h']).error === undefined)

describe.each([
  { by: '/proc', byProc: true, isThere: hasProc },
  { by: 'lsof and ps', byProc: false, isThere: hasLsof },
])('by $by', ({ byProc, isThere }) => {
  it.skipIf(!isThere)('finds the process that has a file open, and nobody once it has ended', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(userOfFile(file, byProc)).toBeUndefined()
    // The names of the hub's own command line, with an option that may hold a secret.
    const program = join(folder, 'operate', 'cli', 'main.ts')
    mkdirSync(dirname(program), { recursive: true })
    writeFileSync(
      program,
      `require('fs').openSync(${JSON.stringify(file)}); console.log(1); setInterval(() => {}, 1e6)`,
    )
    const child = spawn(process.execPath, [program, 'payment', 'list', '--client', 'sbc_1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    // On a loaded machine lsof may take longer than it is given.
    const user = await until('the process', () => userOfFile(file, byProc))
    expect(user).toEqual({ pid: child.pid, command: 'hub payment list', isCommand: true })
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(userOfFile(file, byProc)).toBeUndefined()
  })
})

it.each([
  [['node', '--import', 'x', '/app/server/main.ts'], 'npm start', false],
  [
    ['node', '/app/server/operate/cli/main.ts', 'payment', 'list', '--client', 'sbc_1'],
    'hub payment list',
    true,
  ],
  [['node', '/app/server/operate/cli/main.ts', 'restore', '/tmp/hub.backup', '--force'], 'hub restore', true],
  [['node', '/app/server/operate/cli/main.ts', 'checksum', '--secret', 'sbs_1'], 'hub checksum', true],
  [['/usr/bin/sqlite3', 'hub.db'], 'sqlite3', false],
])('names a process without the options that it was started with: %o', (args, command, isCommand) => {
  expect(describeArguments(args)).toEqual({ command, isCommand })
  expect(nameOfUser({ pid: 7, command, isCommand })).toBe(`${command}, pid 7`)
})
