import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readCli } from '../../../../protocol/conformance/cli.ts'
import { PATIENCE } from '../../../protocol/conformance/support/patience.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { listenOnFreePort } from '../../../support/listen.ts'
import { start } from '../../../support/processes/process.ts'
import { until } from '../../../support/wait.ts'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const DEVICE = ['--serial', 'SHOP-0042', '--key', KEY]
const MAIN = 'protocol/conformance/main.ts'

/** The kit's own process, on a free port; resolves with the address that it prints. */
async function startKit(...args: string[]) {
  const kit = start(process.execPath, [MAIN, '--port', '0', '--auto', '--wait', '3600', ...args])
  const url = await until('the address', () => /mqtt:\/\/\S+/.exec(kit.stdout() + kit.stderr())?.[0])
  return { ...kit, url }
}

function patientProfile(): string {
  const file = join(temporaryFolder(), 'profile.yaml')
  writeFileSync(file, `clock: hub\ntimings: ${JSON.stringify({ ...PATIENCE, quietMs: 50 })}\n`)
  return file
}

function startSpeaker(url: string, key = KEY) {
  const args = [
    '--headless',
    '--serial',
    'SHOP-0042',
    '--key',
    key,
    '--url',
    url,
    '--state',
    temporaryFolder(),
  ]
  return start(process.execPath, ['--import', 'tsx', 'simulator/main.ts', ...args])
}

describe('the process', () => {
  it('checks a speaker in another process, writes the reports, and exits with 0', async () => {
    const out = temporaryFolder()
    const profile = patientProfile()
    const only = ['--only', 'mac', 'settings/applied', 'connection', 'expiry/*-on-arrival']
    const kit = await startKit(...DEVICE, '--profile', profile, '--out', out, ...only)
    startSpeaker(kit.url)
    const { code, stdout, stderr } = await kit.ended
    expect(stderr).toBe('')
    expect(stdout).toMatch(/✔ A frame with another key is dropped +5\.3 5\.2\n/)
    expect(stdout).toMatch(/^sb\/1 [\d.]+ conformance, kit [\d.]+: SHOP-0042, \d+ cases\n/)
    expect(stdout).toMatch(/\d+ passed · 0 failed.*\nPassed on the wire\. This is not a certificate: /)
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).toMatchObject({
      device: { model: 'terminal', rx: 512 },
      exitCode: 0,
    })
  })

  it('exits with 4 if nothing failed, but a certificate is asked for, and lists the clauses', async () => {
    const args = ['--profile', patientProfile(), '--strict', '--matrix', '--only', 'session/puback']
    const kit = await startKit(...DEVICE, ...args)
    startSpeaker(kit.url)
    const { code, stdout } = await kit.ended
    expect(stdout).toMatch(/✔ It subscribes|✔ Every command gets its PUBACK/)
    expect(stdout).toMatch(/\? 12\.2 {2}MUST {4}not checked: /)
    expect(code).toBe(4)
  })

  it('needs the simulator for its demo', async () => {
    const { code, stderr } = await start(process.execPath, [MAIN, '--demo']).ended
    expect(stderr).toBe('--demo needs the simulator: npm run -s conformance -- --demo\n')
    expect(code).toBe(2)
  })

  it('prints the report as JSON, and exits with 1, when the device has another key', async () => {
    const profile = join(temporaryFolder(), 'profile.json')
    writeFileSync(profile, '{ "timings": { "answerMs": 1000 } }')
    const kit = await startKit(...DEVICE, '--json', '--profile', profile, '--only', 'connection/password')
    startSpeaker(kit.url, Buffer.alloc(32, 6).toString('base64url'))
    const { code, stdout } = await kit.ended
    const report = JSON.parse(stdout)
    expect(report.counts.fail).toBe(1)
    const failed = report.cases.filter(({ verdict }: { verdict: string }) => verdict === 'fail')
    expect(failed.map(({ id }: { id: string }) => id)).toEqual(['session/opens'])
    expect(failed[0].findings[0].hint).toMatch(/does the device have the K of this serial/)
    expect(code).toBe(1)
  })

  it('exits with 3 if the device does not connect, and if the port is in use', async () => {
    const kit = await startKit(...DEVICE, '--wait', '0')
    expect(await kit.ended).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('Timed out: the device has not connected.'),
    })
    const other = createServer()
    onTestFinished(() => void other.close())
    const port = String(await listenOnFreePort(other))
    const { code, stderr } = await start(process.execPath, [MAIN, ...DEVICE, '--port', port]).ended
    expect(code).toBe(3)
    expect(stderr).toMatch(/EADDRINUSE/)
  })

  it('ends on Ctrl+C', async () => {
    const kit = await startKit(...DEVICE, '--wait', '60')
    kit.child.kill('SIGINT')
    expect(await kit.ended).toMatchObject({ code: 3, stdout: expect.stringContaining('Interrupted: ') })
  })

  it('lists the cases as text and as JSON', async () => {
    const [text, json] = await Promise.all([
      start(process.execPath, [MAIN, '--list', '--only', 'dedupe']).ended,
      start(process.execPath, [MAIN, '--list', '--json', '--only', '12.2']).ended,
    ])
    expect(text.stdout).toMatch(
      /dedupe\/played-over-power-cut +7\.5 12\.1 7\.9 +needs speaker, power-cycle\n/,
    )
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ id: 'dedupe/power-cut-while-speaking', clauses: ['12.2', '7.5'] }),
    )
    expect([text.code, json.code]).toEqual([0, 0])
  })

  it.each([
    [['--only', 'nonsense'], /--only nonsense: no case matches/],
    [['--profile', '/does/not/exist'], /can't read the profile/],
    [['--out', '/dev/null/x'], /--out: /],
  ])('exits with 2 and one line on wrong usage: %j', async (args, message) => {
    const { code, stderr } = await start(process.execPath, [MAIN, ...DEVICE, ...args]).ended
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('the arguments', () => {
  function read(args: string[], env: NodeJS.ProcessEnv = {}) {
    let said = ''
    const cli = readCli(args, env, { out: (text) => (said += text), err: (text) => (said += text) })
    return { cli, said }
  }

  it('read the key from the environment, so that no process list shows it', () => {
    expect(read(['--serial', 'SHOP-0042'], { SPEAKER_KEY: KEY }).cli).toMatchObject({
      kind: 'run',
      options: {
        serial: 'SHOP-0042',
        key: Buffer.alloc(32, 5),
        port: 1884,
        host: '127.0.0.1',
        waitMs: 120_000,
        only: [],
      },
    })
  })

  it.each([
    [[], /--serial: a serial has 4 to 32/],
    [['--serial', 'SHOP-0042'], /--key is missing/],
    [['--serial', 'SHOP-0042', '--key', 'short'], /--key: a key has 43 characters/],
    [[...DEVICE, '--port', '70000'], /a whole number up to 65535/],
    [[...DEVICE, 'more'], /too many arguments/],
    [['--demo', '--key', KEY], /'--demo' cannot be used with option '--key/],
  ])('are rejected with a message: %j', (args, message) => {
    const { cli, said } = read(args)
    expect(cli).toEqual({ kind: 'exit', code: 2 })
    expect(said).toMatch(message)
  })

  it('do not require a device for --list, --demo and --help', () => {
    expect(read(['--demo']).cli).toMatchObject({ kind: 'run', options: { demo: true, serial: '' } })
    expect(read(['--list']).cli).toMatchObject({ kind: 'run', options: { list: true } })
    expect(read(['--help'])).toMatchObject({
      cli: { kind: 'exit', code: 0 },
      said: expect.stringContaining('--power-cycle'),
    })
  })
})
