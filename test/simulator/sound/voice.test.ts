import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadPack } from '../../../simulator/sound/pack.ts'
import { createRecorder } from '../../../simulator/sound/recorder.ts'
import { attachVoice, type Recorder } from '../../../simulator/sound/voice.ts'
import type { Audio } from '../../../simulator/sound/wav.ts'
import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import { createFeed } from '../../../simulator/speaker/feed.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { snapshotOf } from '../screen/model.ts'
import { readRiff, takeApart } from '../support/wav.ts'

const pack = loadPack()

const announce = (n: number): SpeakerEvent => ({
  event: 'announce',
  n,
  amount: '21000',
  currency: 'VND',
  text: 'Đã nhận hai mươi mốt nghìn đồng',
  lang: 'vi',
  clips: 'da-nhan 2 muoi 1s nghin dong',
})

/** A controlled speaker, and a player that records its sounds. */
function voiced({ volume = 100, recorder }: { volume?: number; recorder?: Recorder } = {}) {
  const feed = createFeed()
  const told: SpeakerEvent[] = []
  const heard: (Audio | 'silence' | 'closed')[] = []
  const happens = (event: SpeakerEvent) => feed.publish({ atMs: 0, kind: 'event', event })
  feed.subscribe((item) => {
    if (item.kind === 'event') told.push(item.event)
  })
  const settings = { ver: 1, volume, lang: 'vi' } as const
  const speaker = {
    subscribe: feed.subscribe,
    snapshot: () => ({ ...snapshotOf({ screen: 'unregistered' }), settings }),
    note: happens,
  }
  const player = {
    play: (audio: Audio) => void heard.push(audio),
    silence: () => void heard.push('silence'),
    close: () => void heard.push('closed'),
  }
  const end = attachVoice(speaker, { pack, player, ...(recorder && { recorder }) })
  return { happens, told, heard, end }
}

describe('the voice', () => {
  it('plays announcements and beeps', () => {
    const { happens, heard } = voiced()
    happens(announce(1))
    happens({ event: 'identify', n: 2 })
    const [sentence, beep] = heard
    if (typeof sentence !== 'object' || typeof beep !== 'object') throw new Error('not played')
    expect(takeApart(sentence, pack.vi).ids.join(' ')).toBe('da-nhan 2 muoi 1s nghin dong')
    expect(beep.samples.length).toBe(0.66 * 16_000)
  })

  it('follows the speaker’s volume', () => {
    const loudest = (volume: number) => {
      const { happens, heard } = voiced({ volume })
      happens(announce(1))
      const [audio] = heard
      return typeof audio === 'object' ? Math.max(...audio.samples) : 0
    }
    expect(loudest(50) / loudest(100)).toBeCloseTo(0.5, 3)
  })

  it.each<[string, SpeakerEvent]>([
    ['the power goes', { event: 'power', on: false }],
    ['its audio breaks', { event: 'failed', t: 'announce', n: 7, rc: 'audio_failed' }],
    ['the speaker breaks down', { event: 'broken', reason: 'its memory' }],
  ])('stops when %s', (_, event) => {
    const { happens, heard } = voiced()
    happens(announce(7))
    happens(event)
    expect(heard.at(-1)).toBe('silence')
  })

  it.each<[string, SpeakerEvent]>([
    ['another announcement fails', { event: 'failed', t: 'announce', n: 8, rc: 'expired' }],
    ['the power comes back', { event: 'power', on: true }],
    ['the line is lost', { event: 'disconnected', reason: 'lost' }],
  ])('continues when %s', (_, event) => {
    const { happens, heard } = voiced()
    happens(announce(7))
    happens(event)
    expect(heard).toHaveLength(1)
  })

  it('records and reports each sound, and has written the last one when it ends', async () => {
    const { happens, told, heard, end } = voiced({ recorder: createRecorder(temporaryFolder(), 'SPK-0001') })
    happens(announce(7))
    happens({ event: 'identify', n: 8 })
    await end()
    expect(heard.at(-1)).toBe('closed')
    const files = told.flatMap((event) => (event.event === 'recorded' ? [event.file] : []))
    expect(files.map((file) => file.split('/').at(-1))).toEqual([
      'SPK-0001-000007-21000VND.wav',
      'SPK-0001-000008-identify.wav',
    ])
    expect(files.map((file) => readRiff(readFileSync(file)))).toEqual(heard.slice(0, 2))
    happens(announce(9))
    expect(heard).toHaveLength(3)
  })

  it('reports a sound that could not be recorded, by its number', async () => {
    const recorder = { record: () => Promise.reject(new Error('ENOSPC: no space left on device')) }
    const { happens, told, end } = voiced({ recorder })
    happens(announce(7))
    await end()
    expect(told.at(-1)).toEqual({
      event: 'trouble',
      with: 'record',
      reason: '#7 is not recorded: ENOSPC: no space left on device',
    })
  })
})
