import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPack } from '../../../../simulator/sound/pack.ts'
import { announcementOf } from '../../../simulator/support/announcement.ts'
import { type HubDouble, startHubDouble } from '../../../simulator/support/hub-double.ts'
import { isRunning, playedBy, playerScript } from '../../../simulator/support/player-script.ts'
import { readRiff, takeApart } from '../../../simulator/support/wav.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { start } from '../../../support/processes/process.ts'
import { eventually } from '../../../support/wait.ts'

const SERIAL = 'SPK-SOUND-1'
const KEY = Buffer.alloc(32, 5)
const MAIN = fileURLToPath(new URL('../../../../simulator/main.ts', import.meta.url))
const AMOUNT = '9999999999999'
const ANNOUNCE = announcementOf(AMOUNT)
/** More sentences than are over before a process is ended, also if it or the test stands still for a while. */
const SENTENCES = [7, 8, 9, 10, 11, 12]

describe('a speaker with sound', () => {
  let hub: HubDouble
  beforeAll(async () => {
    hub = await startHubDouble({ serial: SERIAL, key: KEY })
    return () => hub.close()
  })

  function speak(dir: string, ...options: string[]) {
    const args = ['--import', 'tsx', MAIN, '--headless', '--serial', SERIAL, '--url', hub.url, '--state', dir]
    const env = { SPEAKER_KEY: KEY.toString('base64url'), PATH: `${dir}:/usr/bin:/bin` }
    const speaker = start(process.execPath, [...args, ...options], env)
    const until = (name: string) =>
      eventually(() => expect(speaker.events().find(({ event }) => event === name)).toBeDefined())
    return { ...speaker, until }
  }

  it('plays and records an announcement, and stops in the middle of a word at switch-off', async () => {
    const dir = temporaryFolder()
    playerScript(dir, 'pw-play', 'exec sleep 60')
    const wavs = join(dir, 'wavs')
    const speaker = speak(dir, '--sound', '--record', wavs)
    await speaker.until('connected')
    for (const n of SENTENCES) await hub.send('announce', ANNOUNCE, { n })
    await speaker.until('recorded')
    const file = join(wavs, `${SERIAL}-000007-${AMOUNT}VND.wav`)
    expect(speaker.events().find(({ event }) => event === 'recorded')).toEqual({
      event: 'recorded',
      n: 7,
      file,
    })
    const pack = loadPack()
    // At the factory volume, clips are a little quieter than in the pack.
    const quiet = new Map([...pack.vi].map(([id, clip]) => [id, clip.map((one) => Math.round(one * 0.8))]))
    expect(takeApart(readRiff(readFileSync(file)), quiet).ids.join(' ')).toBe(ANNOUNCE.clips)

    await eventually(() => expect(playedBy(dir)).not.toEqual([]))
    speaker.child.kill('SIGTERM')
    expect(await speaker.ended).toMatchObject({ code: 0, stderr: '' })
    const told = (name: string) =>
      speaker
        .events()
        .filter(({ event }) => event === name)
        .map(({ n }) => n)
    // One was begun and not ended, and none began after that.
    expect(told('announce').length).toBeLessThan(SENTENCES.length)
    expect(told('announce').slice(0, -1)).toEqual(told('played'))
    await eventually(() => expect(playedBy(dir).filter(({ pid }) => isRunning(pid))).toEqual([]))
    expect(readdirSync(wavs)).toHaveLength(told('announce').length)
  })

  it('exits with 1 and a sentence when it can’t record', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'file'), '')
    const { ended } = speak(dir, '--record', join(dir, 'file'))
    expect(await ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^--record: \S+ is not writable: .*EEXIST.*\n$/),
    })
  })
})
