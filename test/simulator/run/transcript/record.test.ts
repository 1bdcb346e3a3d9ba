import { describe, expect, it } from 'vitest'
import type { TranscriptFile } from '../../../../simulator/run/transcript/file.ts'
import { LONGEST_LINE } from '../../../../simulator/run/transcript/format.ts'
import { parseTranscript } from '../../../../simulator/run/transcript/read.ts'
import { recordTranscript } from '../../../../simulator/run/transcript/record.ts'
import type { SimulatorEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import { createFeed } from '../../../../simulator/speaker/feed.ts'
import type { SpeakerSnapshot } from '../../../../simulator/speaker/snapshot.ts'
import { settle } from '../../../support/clock.ts'
import { snapshotOf } from '../../screen/model.ts'
import { WoundClock } from '../../support/wound-clock.ts'

/** A speaker with controlled events and snapshots, and a disk that can be full. */
function recorded() {
  const clock = new WoundClock()
  const feed = createFeed()
  const disk = { text: '', works: true, most: Number.POSITIVE_INFINITY, closed: false }
  const file: TranscriptFile = {
    append: (lines) => {
      if (!disk.works) throw new Error('ENOSPC: no space left on device')
      disk.text += lines
    },
    isFull: (bytes) => disk.text.length + bytes > disk.most,
    close: () => {
      disk.closed = true
    },
  }
  const notes: SimulatorEvent[] = []
  let snapshot = snapshotOf({ screen: 'connecting' })
  const speaker = {
    serial: 'SPK-0001',
    subscribe: feed.subscribe,
    snapshot: () => snapshot,
    note: (event: SimulatorEvent) => {
      notes.push(event)
      feed.publish({ atMs: clock.now(), kind: 'event', event })
    },
  }
  const stop = recordTranscript(speaker, { path: 'tape', program: '0.1.0', clock, open: () => file })
  const become = (change: Partial<SpeakerSnapshot>) => {
    snapshot = { ...snapshot, ...change }
  }
  const played = (n: number) =>
    feed.publish({ atMs: clock.now(), kind: 'event', event: { event: 'played', n } })
  const lines = () => disk.text.trimEnd().split('\n')
  return { clock, disk, notes, stop, become, played, lines, feed }
}

describe('a recording', () => {
  it('writes only changes', () => {
    const { clock, become, lines, stop, disk } = recorded()
    expect(lines()).toHaveLength(2)
    clock.wind(10_000)
    expect(lines()).toHaveLength(2)
    become({ link: 'born', waiting: 2 })
    clock.wind(100)
    expect(lines()[2]).toBe(`{"atMs":${clock.now()},"kind":"seen","seen":{"link":"born","waiting":2}}`)
    become({ retryInMs: 4_900 })
    clock.wind(100)
    become({ retryInMs: 4_100 })
    clock.wind(100)
    become({ retryInMs: undefined })
    clock.wind(100)
    expect(lines().slice(3)).toEqual([
      expect.stringContaining('"seen":{"retryInMs":5000}'),
      expect.stringContaining('"seen":{"retryInMs":null}'),
    ])
    stop()
    expect(lines().at(-1)).toBe(`{"atMs":${clock.now()},"kind":"end"}`)
    expect(disk.closed).toBe(true)
    expect(clock.waits).toEqual([])
  })

  it('writes every line before the next event', () => {
    const { played, lines, become } = recorded()
    become({ played: 7 })
    played(7)
    expect(lines().slice(2)).toEqual([
      expect.stringContaining('{"event":"played","n":7}'),
      expect.stringContaining('"seen":{"played":7}'),
    ])
  })

  it('reports a full disk once, continues, and writes a complete snapshot when there is space again', async () => {
    const { clock, disk, notes, become, played, stop } = recorded()
    disk.works = false
    become({ waiting: 1 })
    for (const n of [1, 2, 3]) {
      played(n)
      clock.wind(1_000)
      await settle()
    }
    expect(notes).toEqual([
      {
        event: 'trouble',
        with: 'transcript',
        reason: 'the transcript has a gap: ENOSPC: no space left on device',
      },
    ])
    disk.works = true
    played(4)
    stop()
    const { moments, complete } = parseTranscript(disk.text)
    expect(complete).toBe(true)
    expect(moments.at(-1)?.snapshot).toMatchObject({ waiting: 1, played: 3, shop: 'Phở Bà Hạnh' })
  })

  it('ends at the size limit, in order', async () => {
    const { disk, notes, played, stop } = recorded()
    disk.most = disk.text.length + 500
    for (let n = 1; n < 20; n += 1) played(n)
    await settle()
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ reason: 'the transcript has reached its size limit and ends here' })
    const { length } = disk.text
    expect(length).toBeLessThanOrEqual(disk.most)
    stop()
    expect(disk.text.length).toBe(length)
    expect(parseTranscript(disk.text).complete).toBe(true)
  })

  it('shortens a frame beyond the protocol’s limit, so that it can be parsed', () => {
    const { feed, disk, stop } = recorded()
    const frame = '\u0001'.repeat(1_000_000)
    const message = { topic: 'down', bytes: frame.length, frame } as const
    feed.publish({ atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'publish', message } })
    stop()
    expect(Math.max(...disk.text.split('\n').map((line) => line.length))).toBeLessThan(LONGEST_LINE)
    expect(parseTranscript(disk.text).complete).toBe(true)
  })
})
