import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { deriveKeys } from '../../../../protocol/keys.ts'
import { announcementClips } from '../../../../protocol/money/sentence.ts'
import { parseTranscript } from '../../../../simulator/run/transcript/read.ts'
import { recordTranscript } from '../../../../simulator/run/transcript/record.ts'
import { createReplay } from '../../../../simulator/run/transcript/replay.ts'
import { View } from '../../../../simulator/screen/view.tsx'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { DYNAMIC_QR, modelOf, SIZES, STATIC_QR } from '../../screen/model.ts'
import { HUB_START } from '../../support/device-bench.ts'
import { KEY, SERIAL, speakerAtDouble } from '../../support/speaker-at-double.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const LOOK_MS = 100

/** A recorded session with every kind of display, and the frames that were drawn. */
async function recordedSession() {
  const clock = new WoundClock()
  const now = () => Math.floor(clock.now() / 1000)
  const welcome = { now: HUB_START, n: 0, linked: true }
  const { hub, speaker, watch } = await speakerAtDouble({
    ...{ hub: { now, welcome }, clock, config: {}, random: () => 0.5 },
  })
  const path = join(temporaryFolder(), 'session.jsonl')
  const stop = recordTranscript(speaker, { path, program: '0.1.0', clock })

  const startedAtMs = clock.now()
  const seen: { atMs: number; snapshot: SpeakerSnapshot }[] = []
  /** Advances time in the recorder's intervals, which never coincide with the next event. */
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += LOOK_MS) {
      clock.wind(LOOK_MS)
      seen.push({ atMs: clock.now() - startedAtMs, snapshot: speaker.snapshot() })
    }
    clock.wind(LOOK_MS)
  }

  pass(300)
  speaker.start()
  await watch.next('connected')
  pass(200)
  await hub.send('profile', { name: 'Phở Bà Hạnh', qr: STATIC_QR })
  await watch.next('profile')
  await hub.send('code', { code: '048213', exp: now() + 300 })
  await watch.next('code')
  pass(2_500)
  await hub.send('qr', { qr: DYNAMIC_QR, amount: '85000', bill: 'B-1', exp: now() + 300 })
  await hub.send('clear', { what: 'code' })
  await watch.next('cleared')
  pass(1_200)
  const clips = announcementClips('vi', '85000')
  await hub.send('announce', { amount: '85000', currency: 'VND', lang: 'vi', clips, bill: 'B-1' })
  await watch.next('announce')
  pass(3_000)
  speaker.setFault('mute', true)
  hub.cutLines()
  await watch.next('disconnected')
  pass(300)
  await speaker.powerOff()
  pass(500)
  stop()
  return { path, watch, seen, endedAtMs: clock.now() }
}

describe('a recorded session', () => {
  it('replays the frames that were shown, and every event', async () => {
    const { path, watch, seen } = await recordedSession()
    const transcript = parseTranscript(readFileSync(path, 'utf8'))
    expect(transcript).toMatchObject({ serial: SERIAL, program: '0.1.0', complete: true })
    expect(transcript.moments.flatMap(({ item }) => item ?? [])).toEqual(watch.items)

    const screens = new Set<string>()
    for (const { atMs, snapshot } of seen) {
      const options = { clock: new WoundClock(), speed: 1, fromMs: atMs, maxIdleMs: Number.POSITIVE_INFINITY }
      const again = createReplay(transcript, options).snapshot()
      expect({ ...again, retryInMs: undefined }).toEqual({ ...snapshot, retryInMs: undefined })
      screens.add(snapshot.display.screen)
      if (atMs % 500 === 0) expect(frameOf(again), `${atMs} ms`).toBe(frameOf(snapshot))
    }
    expect([...screens]).toEqual(['connecting', 'idle', 'code', 'qr', 'paid', 'off'])
  })

  it('is readable only by its owner, contains no key, and replaces no file', async () => {
    const { path } = await recordedSession()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    for (const secret of [KEY, ...Object.values(deriveKeys(KEY))])
      for (const coding of ['base64url', 'base64', 'hex'] as const)
        expect(text).not.toContain(secret.toString(coding).replace(/=+$/, ''))
    const feed = {
      serial: SERIAL,
      subscribe: () => () => {},
      snapshot: () => modelOf(SIZES[0], { screen: 'off' }).speaker,
    }
    const again = () => recordTranscript({ ...feed, note: () => {} }, { path, program: '0.1.0' })
    expect(again).toThrow(/^--transcript: .* already exists: choose another name/)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

function frameOf(speaker: SpeakerSnapshot): string {
  const [, size] = SIZES
  return renderToString(<View model={modelOf(size, speaker.display, { speaker })} />, {
    columns: size.columns,
  })
}
