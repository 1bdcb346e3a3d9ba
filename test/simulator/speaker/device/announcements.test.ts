import { describe, expect, it } from 'vitest'
import { MAX_QUEUED } from '../../../../simulator/speaker/device/sounds.ts'
import { acksIn, DeviceBench, eventsIn, spokenIn } from '../../support/device-bench.ts'

/** Longer than any sentence in this file. */
const SENTENCE_MS = 5_000

describe('an announcement', () => {
  it('sb/1 7.15: is received, persisted as played before its sound, spoken, and acked as played at its end', () => {
    const bench = new DeviceBench()
    bench.connect()
    const start = bench.announce('50000', { n: 7 })
    expect(acksIn(start)).toEqual([{ n: 7, st: 'received' }])
    const persisted = start.findIndex((effect) => effect.type === 'persist' && effect.memory.played === 7)
    const heard = start.findIndex((effect) => effect.type === 'emit')
    expect(persisted).toBeGreaterThan(-1)
    expect(heard).toBeGreaterThan(persisted)
    expect(eventsIn(start)).toEqual([
      {
        event: 'announce',
        n: 7,
        amount: '50000',
        currency: 'VND',
        text: 'Đã nhận năm mươi nghìn đồng',
        lang: 'vi',
        clips: 'da-nhan 5 muoi nghin dong',
      },
    ])
    const end = bench.wind(SENTENCE_MS)
    expect(acksIn(end)).toEqual([{ n: 7, st: 'played' }])
    expect(eventsIn(end)).toEqual([{ event: 'played', n: 7 }])
  })

  it('takes the duration of its clips', () => {
    const bench = new DeviceBench({ msPerClip: 100 })
    bench.connect()
    bench.send('announce', { amount: '1', currency: 'VND', lang: 'vi', clips: clipsOf(3) })
    expect(acksIn(bench.wind(299))).toEqual([])
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })

  it('takes the duration of each clip of its pack, and shows the spoken part', () => {
    const clipLengths = { vi: { 'da-nhan': 400, '5': 200, muoi: 300 } }
    const bench = new DeviceBench({ msPerClip: 100, clipLengths })
    bench.connect()
    const sentenceMs = 400 + 200 + 300 + 100 + 100
    bench.announce('50000')
    expect(bench.said).toBe('Đã nhận')
    bench.wind(399)
    expect(bench.said).toBe('Đã nhận')
    bench.wind(1)
    expect(bench.said).toBe('Đã nhận năm')
    bench.wind(599)
    expect(bench.said).toBe('Đã nhận năm mươi nghìn')
    expect(acksIn(bench.wind(sentenceMs - 1_000))).toEqual([])
    expect(bench.said).toBe('Đã nhận năm mươi nghìn đồng')
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })

  it('takes the duration of its chime too, and shows the first clip from its beginning', () => {
    const bench = new DeviceBench({ chimeMs: 450, msPerClip: 100 })
    bench.connect()
    bench.announce('50000')
    expect(bench.said).toBe('Đã nhận')
    bench.wind(450 + 99)
    expect(bench.said).toBe('Đã nhận')
    bench.wind(1)
    expect(bench.said).toBe('Đã nhận năm')
    expect(acksIn(bench.wind(399))).toEqual([])
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })

  it('sb/1 7.16: waits for the previous one: two never sound together', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    expect(spokenIn(bench.announce('2000', { n: 2 }))).toEqual([])
    const rest = eventsIn(bench.wind(2 * SENTENCE_MS)).map((event) => event.event)
    expect(rest).toEqual(['played', 'announce', 'played'])
  })

  it('sb/1 7.16: is spoken by rising number in any order of arrival', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.announce('3000', { n: 3 })
    bench.announce('2000', { n: 2 })
    bench.wind(5 * SENTENCE_MS)
    expect(spokenIn(bench.effects)).toEqual([1, 2, 3])
  })

  it('is acked with its current stage when repeated, and not queued twice', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.announce('2000', { n: 2 })
    expect(acksIn(bench.announce('1000', { n: 1 }))).toEqual([{ n: 1, st: 'received', dup: true }])
    expect(acksIn(bench.announce('2000', { n: 2 }))).toEqual([{ n: 2, st: 'received', dup: true }])
    bench.wind(5 * SENTENCE_MS)
    expect(acksIn(bench.announce('1000', { n: 1 }))).toEqual([{ n: 1, st: 'played', dup: true }])
    bench.wind(SENTENCE_MS)
    expect(spokenIn(bench.effects)).toEqual([1, 2])
  })

  it('that a power cut interrupted is not repeated', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.powerCut()
    bench.connect()
    expect(acksIn(bench.announce('1000', { n: 1 }))).toEqual([{ n: 1, st: 'played', dup: true }])
    expect(spokenIn(bench.effects)).toEqual([1])
  })

  it('that was queued at a power cut is spoken when resent', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.announce('2000', { n: 2 })
    bench.powerCut()
    bench.connect()
    bench.announce('2000', { n: 2 })
    expect(spokenIn(bench.effects)).toEqual([1, 2])
  })

  it('has its number in the next birth', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 9 })
    bench.powerCut()
    expect(bench.open()).toMatchObject([{ message: { kind: 'birth', body: { played: 9 } } }])
  })
})

describe('an announcement is refused', () => {
  it('when it arrives after at + ttl on the hub’s clock', () => {
    const bench = new DeviceBench()
    bench.connect()
    const acks = acksIn(bench.announce('1000', { n: 1, at: bench.hubNow - 121, ttl: 120 }))
    expect(acks).toEqual([{ n: 1, st: 'failed', rc: 'expired' }])
  })

  it('sb/1 11.3: but not within its last second', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1, at: bench.hubNow - 120, ttl: 120 })
    expect(spokenIn(bench.effects)).toEqual([1])
  })

  it('sb/1 7.7: when it expired while it waited', () => {
    const bench = new DeviceBench({ msPerClip: 5_000 })
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.announce('2000', { n: 2, ttl: 3 })
    const later = bench.wind(60_000)
    expect(acksIn(later)).toEqual([
      { n: 1, st: 'played' },
      { n: 2, st: 'failed', rc: 'expired' },
    ])
    expect(bench.stored.played).toBe(1)
  })

  it('when a clip is not in the pack', () => {
    const bench = new DeviceBench()
    bench.connect()
    const d = { amount: '1000', currency: 'VND', lang: 'vi', clips: 'no-such-clip' } as const
    expect(acksIn(bench.send('announce', d))).toMatchObject([{ st: 'failed', rc: 'no_clip' }])
  })

  it('without an ack when the queue is full, so that the hub resends it', () => {
    const bench = new DeviceBench()
    bench.connect()
    for (let n = 1; n <= MAX_QUEUED + 1; n += 1) bench.announce('1000', { n })
    const acks = acksIn(bench.announce('1000', { n: MAX_QUEUED + 2 }))
    expect(acks).toEqual([])
  })

  it('when the volume is 0', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.send('settings', { ver: 1, volume: 0, lang: 'vi' })
    expect(acksIn(bench.announce('1000'))).toMatchObject([{ st: 'failed', rc: 'muted' }])
  })

  it('and gets the same answer when repeated', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1, at: bench.hubNow - 121, ttl: 120 })
    const again = bench.announce('1000', { n: 1 })
    expect(acksIn(again)).toEqual([{ n: 1, st: 'failed', rc: 'expired', dup: true }])
    expect(spokenIn(bench.effects)).toEqual([])
  })
})

describe('identify', () => {
  it('beeps in turn with the announcements, and does not change played', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 1 })
    bench.send('identify', {}, { n: 2 })
    const events = eventsIn(bench.wind(2 * SENTENCE_MS)).map((event) => event.event)
    expect(events).toEqual(['played', 'identify'])
    expect(acksIn(bench.send('identify', {}, { n: 2 }))).toEqual([{ n: 2, st: 'played', dup: true }])
    expect(bench.stored.played).toBe(1)
  })
})

function clipsOf(count: number): string {
  return Array.from({ length: count }, () => 'nghin').join(' ')
}
