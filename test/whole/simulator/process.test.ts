import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTranscript } from '../../../simulator/run/transcript/read.ts'
import { announcementOf } from '../../simulator/support/announcement.ts'
import { headlessValidator } from '../../simulator/support/headless-validator.ts'
import { type HubDouble, startHubDouble } from '../../simulator/support/hub-double.ts'
import { patientCopy } from '../../simulator/support/patient.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'

const SERIAL = 'SPK-TEST-02'
const KEY = Buffer.alloc(32, 3)
const MAIN = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))
const SCENARIOS = fileURLToPath(new URL('../../../simulator/scenarios/', import.meta.url))
/** A long sentence. */
const ANNOUNCE = announcementOf('999999999999')

describe('the process', () => {
  let dir = ''
  let hub: HubDouble

  beforeEach(async () => {
    dir = temporaryFolder()
    hub = await startHubDouble({ serial: SERIAL, key: KEY })
  })
  afterEach(() => hub.close())

  function speak(key = KEY, ...more: string[]) {
    const speaker = ['--serial', SERIAL, '--url', hub.url, '--state', dir]
    const args = ['--import', 'tsx', MAIN, '--headless', ...speaker, ...more]
    const { child, ended } = start(process.execPath, args, { SPEAKER_KEY: key.toString('base64url') })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? '{}')
    return { child, next, ended }
  }

  /** The process may have ended before this one reads its last words. */
  async function saysBye() {
    await hub.until(({ kind, body }) => kind === 'will' && body.reason === 'bye')
    expect(hub.heard.at(-1)?.kind).toBe('will')
  }

  it('keeps the started announcement across kill -9, and ends cleanly at SIGTERM', async () => {
    const first = speak()
    expect(await first.next()).toEqual({ event: 'connected', linked: false })
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await first.next()).toMatchObject({ event: 'announce', n: 7 })
    first.child.kill('SIGKILL')
    await first.ended

    const second = speak()
    expect(await second.next()).toMatchObject({ event: 'connected' })
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await second.next()).toEqual({ event: 'repeat', t: 'announce', n: 7, stage: 'played' })
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
    await saysBye()
  })

  it('counts Ctrl+C from the terminal and from npm as one signal, and sends bye', async () => {
    const transcript = join(dir, 'session.jsonl')
    const { child, next, ended } = speak(KEY, '--transcript', transcript)
    expect(await next()).toMatchObject({ event: 'connected' })
    for (const signal of ['SIGINT', 'SIGINT'] as const) child.kill(signal)
    expect(await next()).toMatchObject({ event: 'disconnected' })
    expect(await next()).toEqual({})
    expect((await ended).code).toBe(0)
    expect(readTranscript(transcript).complete).toBe(true)
    await saysBye()
  })

  it('exits with 1 and a plain sentence when its first login is refused', async () => {
    const { next, ended } = speak(Buffer.alloc(32, 4))
    expect(await next()).toEqual({
      event: 'refused',
      code: 5,
      reason: 'the hub refused the login (CONNACK 5)',
    })
    expect(await ended).toMatchObject({
      code: 1,
      stderr: 'The hub refused this speaker: wrong serial or key. Check what `hub device add` printed.\n',
    })
  })

  it('obeys control lines, prints packets and times, and every line matches the schema', async () => {
    const { child, next, ended } = speak(KEY, '--control', '--packets', '--timestamps')
    const lines: Record<string, unknown>[] = []
    const until = async (event: string) => {
      do lines.push(await next())
      while (lines.at(-1)?.event !== event)
      return lines.at(-1)
    }
    await until('connected')
    child.stdin.write('fault mute on\nvolume 30\nsnapshot\n')
    expect(await until('snapshot')).toMatchObject({ faults: ['mute'], settings: { volume: 30 } })
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await until('failed')).toMatchObject({ n: 7, rc: 'muted' })
    child.stdin.write('power off\ndance\n')
    expect(await until('power')).toMatchObject({ on: false })
    expect(await until('error')).toMatchObject({
      message: expect.stringMatching(/"dance" is not a control line/),
    })
    child.stdin.write('power on\n')
    await until('connected')
    child.stdin.write('quit\n')
    expect((await ended).code).toBe(0)

    const validate = headlessValidator()
    for (const line of lines) expect([line, validate(line) || validate.errors]).toEqual([line, true])
    expect(lines.filter(({ at }) => typeof at !== 'string')).toEqual([])
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'packet',
        direction: 'out',
        type: 'ack',
        stage: 'failed',
        rc: 'muted',
      }),
    )
  })
})

describe('a scenario on the command line', () => {
  const env = { CLIENT_ID: 'sbc_1', CLIENT_SECRET: 'sbs_1' }
  const play = (...args: string[]) =>
    start(process.execPath, ['--import', 'tsx', MAIN, '--headless', '--scenario', ...args], env).ended

  it('with a temporary hub needs one command, exits with 0, and every line matches the schema', async () => {
    const dir = temporaryFolder()
    const tape = join(dir, 'tape')
    const options = ['--with-hub', '--transcript', tape, '--record', dir]
    const scenario = patientCopy(`${SCENARIOS}register-and-first-payment.yaml`, dir)
    const { code, stdout, stderr } = await play(scenario, ...options)
    expect([code, stderr]).toEqual([0, ''])
    expect(readFileSync(tape, 'utf8').trim().split('\n').at(-1)).toMatch(/"kind":"end"/)
    expect(readdirSync(dir).filter((name) => name.endsWith('.wav'))).toHaveLength(1)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    const validate = headlessValidator()
    for (const line of lines) expect([line, validate(line) || validate.errors]).toEqual([line, true])
    expect(lines.slice(-2)).toMatchObject([{ event: 'disconnected' }, { event: 'scenario', ok: true }])
  })

  it('that fails exits with 1, and says where and which events came', async () => {
    const dir = temporaryFolder()
    const file = join(dir, 'x.yaml')
    writeFileSync(file, 'about: Nobody answers.\nsteps:\n  - expect: connected\n    within: 50ms\n')
    const speaker = ['--serial', SERIAL, '--key', KEY.toString('base64url'), '--url', 'mqtt://127.0.0.1:1']
    const { code, stdout, stderr } = await play(file, ...speaker, '--state', dir)
    expect(code).toBe(1)
    expect(stderr).toMatch(/x\.yaml:3: expect: connected.*\n {2}it did not come within 50 ms\./)
    expect(stdout).toMatch(/"event":"scenario","ok":false,.*"reason":".*x\.yaml:3: /)
  })

  it('that is invalid exits with 2, and so do several without a hub of their own', async () => {
    const speaker = ['--serial', SERIAL, '--key', KEY.toString('base64url')]
    const [none, several] = await Promise.all([
      play(`${SCENARIOS}../README.md`, '--with-hub'),
      play(
        `${SCENARIOS}neighbour.yaml`,
        `${SCENARIOS}muted.yaml`,
        ...speaker,
        '--http',
        'http://127.0.0.1:1',
      ),
    ])
    expect([none.code, none.stdout]).toEqual([2, ''])
    expect(none.stderr).toMatch(/README\.md:\d+: /)
    expect([several.code, several.stdout]).toEqual([2, ''])
    expect(several.stderr).toMatch(
      /several scenarios need --with-hub.*\n.*neighbour\.yaml:\d+: several speakers need/,
    )
  })
})
