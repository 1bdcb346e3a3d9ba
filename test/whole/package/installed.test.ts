import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { speakerFiles } from '../../../server/site/speaker/files.ts'
import { ROOT } from '../../support/docs/markdown.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { hubEnv, start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'

/** The package as it is in the node_modules of another project that has only what the hub needs to run. */
let bin: string

beforeAll(() => {
  const project = temporaryFolder((end) => closers.push(end))
  const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', project], { cwd: ROOT })
  const tarball = join(project, String(packed.stdout).trim())
  const modules = join(project, 'node_modules')
  const own = join(modules, 'soundbox-hub')
  mkdirSync(own, { recursive: true })
  spawnSync('tar', ['xzf', tarball, '-C', own, '--strip-components=1'])
  for (const path of runtimePackages()) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(project, path))
  }
  bin = join(own, 'bin/soundbox-hub.js')
  return () => Promise.all(closers.map((end) => end()))
})
const closers: (() => unknown)[] = []

/** The packages that `npm ci --omit=dev` installs, those within others left out. */
function runtimePackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, entry]) => /^node_modules\/[^/]+(\/[^/]+)?$/.test(path) && !Object(entry).dev)
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)))
}

/** Node.js before 22.15 can't become another program. */
const WITHOUT_EXEC = ['--import', 'data:text/javascript,process.execve=undefined']

const run = (args: string[], env: Record<string, string> = {}, node: string[] = []) =>
  start(process.execPath, [...node, bin, ...args], env)

/** The command becomes the program, or stays as its parent. */
const WAYS: [string, string[]][] = [
  ['becomes the program', []],
  ['stays as its parent', WITHOUT_EXEC],
]

describe('an installed package', () => {
  it('starts the hub, which takes a payment to a speaker, and nothing is missing', async () => {
    const { code, stdout, stderr } = await run(['demo', '--once']).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('The hub has the proof')
  })

  it('serves the page of a speaker, the same bytes as from a checkout', async () => {
    const hub = run(['start'], hubEnv(temporaryFolder()))
    const ready = await until('the ready line', () => hub.events()[0])
    for (const [name, { headers: sent }] of await speakerFiles()) {
      const { status, headers } = await fetch(`${ready.http}/speaker${name && `/${name}`}`)
      expect({ name, status, etag: headers.get('ETag') }).toEqual({ name, status: 200, etag: sent.ETag })
    }
  })

  it.each(['simulator', 'conformance'])('has the command %s', async (command) => {
    expect(await run([command, '--help']).ended).toMatchObject({ code: 0, stderr: '' })
  })

  describe.each(WAYS)('whose command %s', (_, node) => {
    it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on, and the exit code back', async (signal) => {
      const hub = run(['start'], hubEnv(temporaryFolder()), node)
      await until('the ready line', () => hub.events()[0])
      hub.child.kill(signal)
      expect(await hub.ended).toMatchObject({ code: 0, stderr: '' })
    })

    it('leaves no hub behind when it is killed', async () => {
      const hub = run(['start'], hubEnv(temporaryFolder()), node)
      const ready = await until('the ready line', () => hub.events()[0])
      hub.child.kill('SIGKILL')
      await until('the end of the hub', () =>
        fetch(`${ready.http}/healthz`).then(
          () => false,
          () => true,
        ),
      )
    })

    it('has the commands of the hub, with their exit codes', async () => {
      const env = hubEnv(temporaryFolder())
      const created = await run(['hub', 'partner', 'create', '--name', 'Acme'], env, node).ended
      expect(created).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(created.stdout)).toHaveProperty('clientSecret')
      expect((await run(['hub', 'pay'], env, node).ended).code).toBe(2)
    })
  })
})

it('tells its version and its commands; another command is wrong usage', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect((await run(['--version']).ended).stdout).toBe(`${version}\n`)
  expect(await run(['--help']).ended).toMatchObject({ code: 0, stdout: expect.stringContaining('simulator') })
  expect(await run(['stat']).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no command stat'),
  })
})

it('has no tests', () => {
  expect(globSync('**/*.test.*', { cwd: dirname(dirname(bin)), exclude: ['node_modules'] })).toEqual([])
})
