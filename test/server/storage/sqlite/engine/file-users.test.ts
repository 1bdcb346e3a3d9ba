import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  describeArguments,
  nameOfUser,
  userOfFile,
} from '../../../../../server/storage/sqlite/engine/file-users.ts'
import { temporaryFolder } from '../../../../support/folder.ts'

it('finds the process that has a file open, and nobody once it has ended', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(userOfFile(file)).toBeUndefined()
  const program = `require('fs').openSync(${JSON.stringify(file)}); console.log(1); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  expect(userOfFile(file)).toMatchObject({ pid: child.pid, isCommand: false })
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(userOfFile(file)).toBeUndefined()
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
