import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isAlive } from '../../../../../simulator/platform/process-alive.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { findPostgres } from '../../../../support/processes/postgres.ts'
import { start } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

const DEMO = ['bin/demo.js', '--cluster']
const isThere = (await findPostgres()) !== undefined

/** A folder for temporary files, which also the user that PostgreSQL runs as may enter. */
function temporaryFiles(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o711)
  return folder
}

/** What a cluster has left behind. The loader of TypeScript keeps its cache there, too. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('soundbox-'))
}

it.skipIf(!isThere)(
  'loses and doubles nothing while each part of it fails in turn, and leaves nothing',
  async () => {
    const TMPDIR = temporaryFiles()
    const args = [...DEMO, '--once', '--speakers', '6', '--pay', '4']
    const { code, stdout, stderr } = await start(process.execPath, args, { TMPDIR }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const happened of [
      // Two, unless the balancer took a slow hub for a dead one.
      /kill -9 of hub 1: [1-6] speakers? loses? their connection\./,
      /SIGSTOP of hub 2: /,
      /SIGCONT of hub 2: /,
      /hub 3 has handed its speakers over, and has ended with exit code 0\./,
      /kill -9 of PostgreSQL: /,
      /PostgreSQL is up again\./,
      /\nheard from a speaker +[1-9]/,
      /\nlost +0\ndoubled +0\nNo payment was lost, and none was doubled\.\n$/,
    ])
      expect(stdout).toMatch(happened)
    expect(leftIn(TMPDIR)).toEqual([])
  },
)

it.skipIf(!isThere)('ends all its processes at a signal, also while it starts', async () => {
  const TMPDIR = temporaryFiles()
  const demo = start(process.execPath, [...DEMO, '--speakers', '6'], { TMPDIR })
  await until('PostgreSQL', () => demo.stdout().includes('PostgreSQL is up at'))
  const folder = leftIn(TMPDIR)[0] ?? ''
  const pidFile = join(TMPDIR, folder, 'database', 'postgres', 'postmaster.pid')
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  expect(isAlive(pid)).toBe(true)
  demo.child.kill('SIGTERM')
  const { code, stderr } = await demo.ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
  expect(isAlive(pid)).toBe(false)
  expect(leftIn(TMPDIR)).toEqual([])
})

it('names wrong arguments', async () => {
  const wrong = await Promise.all(
    [
      ['--pay', '3'],
      ['--cluster', '--speakers', '0'],
      ['--cluster', '--sound'],
    ].map((args) => start(process.execPath, [...DEMO.slice(0, 1), ...args]).ended),
  )
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2])
  expect(wrong.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
    '--speakers and --pay need --cluster.',
    '--speakers is a whole number from 1 to 1000.',
    '--cluster has no sound.',
  ])
})
