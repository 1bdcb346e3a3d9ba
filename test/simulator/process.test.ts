import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { announcementClips } from '../../protocol/money/sentence.ts'
import { type HubDouble, startHubDouble } from './support/hub-double.ts'

const SERIAL = 'SPK-TEST-02'
const KEY = Buffer.alloc(32, 3)
const MAIN = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url))
const ANNOUNCE = {
  amount: '1',
  currency: 'VND',
  lang: 'vi',
  clips: announcementClips('vi', '999999999999'),
} as const

describe('the process', () => {
  let dir = ''
  let hub: HubDouble
  const children: ChildProcess[] = []

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'speaker-'))
    hub = await startHubDouble({ serial: SERIAL, key: KEY })
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await hub.close()
    rmSync(dir, { recursive: true })
  })

  function start(key = KEY) {
    const args = ['--import', 'tsx', MAIN, '--headless', '--serial', SERIAL, '--url', hub.url, '--state', dir]
    const env = { ...process.env, SPEAKER_KEY: key.toString('base64url') }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? '{}')
    const ended = once(child, 'exit').then(([code]) => code)
    return { child, next, ended }
  }

  it('keeps over kill -9 what it has begun to speak, and ends cleanly at SIGTERM', async () => {
    const first = start()
    expect(await first.next()).toEqual({ event: 'connected', linked: false })
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await first.next()).toMatchObject({ event: 'announce', n: 7 })
    first.child.kill('SIGKILL')
    await first.ended

    const second = start()
    expect(await second.next()).toMatchObject({ event: 'connected' })
    await hub.send('announce', ANNOUNCE, { n: 7 })
    expect(await second.next()).toEqual({ event: 'repeat', t: 'announce', n: 7, stage: 'played' })
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
    expect(hub.heard.at(-1)).toMatchObject({ kind: 'will', body: { reason: 'bye' } })
  })

  it('exits with 1 and a plain sentence when its first login is refused', async () => {
    const { child, ended } = start(Buffer.alloc(32, 4))
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    expect(await ended).toBe(1)
    expect(said).toBe(
      'The hub refused this speaker: wrong serial or key. Check what `hub device add` printed.\n',
    )
  })
})
