import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startHubDouble } from '../../../../simulator/support/hub-double.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { start } from '../../../../support/processes/process.ts'
import { eventually } from '../../../../support/wait.ts'

const SERIAL = 'SPK-TAPE-2'
const KEY = Buffer.alloc(32, 6)
const MAIN = fileURLToPath(new URL('../../../../../simulator/main.ts', import.meta.url))

/** The simulator without a screen. */
function simulator(...args: string[]) {
  const env = { SPEAKER_KEY: KEY.toString('base64url') }
  return start(process.execPath, ['--import', 'tsx', MAIN, ...args], env)
}

describe('the process', () => {
  it('records what survives kill -9, and replays it', async () => {
    const hub = await startHubDouble({ serial: SERIAL, key: KEY })
    onTestFinished(() => hub.close())
    const dir = temporaryFolder()
    const tape = join(dir, 'tape')
    const recording = simulator('--serial', SERIAL, '--url', hub.url, '--state', dir, '--transcript', tape)
    await eventually(() => expect(recording.stdout()).toContain('"connected"'))
    await hub.send('code', { code: '048213', exp: 2_000_000_000 })
    await eventually(() => expect(recording.stdout()).toContain('"code"'))
    recording.child.kill('SIGKILL')
    await recording.ended

    const [replayed, again] = await Promise.all([
      simulator('replay', tape).ended,
      simulator('--serial', SERIAL, '--state', dir, '--transcript', tape).ended,
    ])
    expect(replayed).toEqual({
      code: 0,
      stdout: recording.stdout(),
      stderr: expect.stringContaining('is incomplete'),
    })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing is overwritten') })
    const [missing, beyond] = await Promise.all([
      simulator('replay', join(dir, 'none')).ended,
      simulator('replay', tape, '--from', '1h').ended,
    ])
    expect(missing).toEqual({
      code: 2,
      stdout: '',
      stderr: `${join(dir, 'none')} can't be read: there is no such file\n`,
    })
    expect(beyond).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^--from: the replay of .*tape is over after \d+\.\d s\.\n$/),
    })
    writeFileSync(tape, readFileSync(tape, 'utf8').replace('"connected"', '"connexion"'))
    const damaged = await simulator('replay', tape).ended
    expect(damaged).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /tape: line \d+ is damaged: "happening\.event" is "connexion", which this program does not know/,
      ),
    })
  })
})
