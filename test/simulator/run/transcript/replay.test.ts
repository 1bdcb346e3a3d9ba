import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printReplay } from '../../../../simulator/run/transcript/print.ts'
import { createReplay, type ReplayOptions } from '../../../../simulator/run/transcript/replay.ts'
import { timelineOf } from '../../../../simulator/run/transcript/timeline.ts'
import type { Moment, Transcript } from '../../../../simulator/run/transcript/transcript.ts'
import type { FeedItem } from '../../../../simulator/speaker/feed.ts'
import { snapshotOf } from '../../screen/model.ts'
import { WoundClock } from '../../support/wound-clock.ts'

const START_MS = 1_763_678_400_000
const ENDLESS = Number.POSITIVE_INFINITY

/** A `played` event with its second as number, and a matching snapshot. */
function momentAt(second: number, change: Partial<Moment> = {}): Moment {
  const atMs = START_MS + 1000 * second
  const item: FeedItem = { atMs, kind: 'event', event: { event: 'played', n: second } }
  return {
    atMs,
    item,
    snapshot: snapshotOf({ screen: 'off' }, { played: second }),
    eventful: true,
    ...change,
  }
}

function transcriptOf(moments: Moment[]): Transcript {
  return { serial: 'SPK-0001', program: '0.1.0', startedAtMs: START_MS, moments, complete: true }
}

/** A replay of ten seconds with a moment in each, and its received items. */
function replayed(change: Partial<ReplayOptions> = {}) {
  const clock = new WoundClock()
  const moments = Array.from({ length: 11 }, (_, second) => momentAt(second))
  const options = { clock, speed: 1, fromMs: 0, maxIdleMs: ENDLESS, ...change }
  const replay = createReplay(transcriptOf(moments), options)
  const heard: number[] = []
  const listen = () =>
    replay.subscribe((item) => {
      if (item.kind === 'event' && item.event.event === 'played') heard.push(item.event.n)
    })
  return { clock, replay, heard, listen }
}

describe('the timeline', () => {
  const times = (moments: Moment[], maxIdleMs: number) => timelineOf(moments, maxIdleMs)

  it('equals that of the recording', () => {
    expect(times([momentAt(0), momentAt(1), momentAt(61)], ENDLESS)).toEqual([0, 1_000, 61_000])
  })

  it('shortens idle stretches', () => {
    expect(times([momentAt(0), momentAt(1), momentAt(61), momentAt(62)], 3_000)).toEqual([
      0, 1_000, 4_000, 5_000,
    ])
  })

  it('compresses countdowns in a shortened stretch', () => {
    const tick = (second: number) => momentAt(second, { item: undefined, eventful: false })
    const moments = [momentAt(0), tick(10), tick(20), tick(30), momentAt(40), tick(41)]
    expect(times(moments, 4_000)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
  })

  it('stands still while the clock was set back', () => {
    expect(times([momentAt(5), momentAt(6), momentAt(2), momentAt(7)], ENDLESS)).toEqual([
      0, 1_000, 1_000, 2_000,
    ])
  })

  it('never goes back, and never waits longer than the limit', () => {
    const moments = fc.array(fc.record({ second: fc.nat(1_000), eventful: fc.boolean() }), { minLength: 1 })
    fc.assert(
      fc.property(moments, fc.integer({ min: 0, max: 5_000 }), (list, maxIdleMs) => {
        const shown = times(
          list.map(({ second, eventful }) => momentAt(second, { eventful })),
          maxIdleMs,
        )
        expect(shown[0]).toBe(0)
        shown.slice(1).forEach((time, index) => {
          const waitMs = time - (shown[index] ?? 0)
          expect(waitMs).toBeGreaterThanOrEqual(0)
          expect(waitMs).toBeLessThanOrEqual(maxIdleMs + 1e-6)
        })
      }),
    )
  })
})

describe('a replay', () => {
  it('shows each moment at its time, and stays at the end', () => {
    const { clock, replay, heard, listen } = replayed()
    listen()
    expect(heard).toEqual([0])
    replay.play()
    clock.wind(999)
    expect(heard).toEqual([0])
    clock.wind(1)
    expect(heard).toEqual([0, 1])
    expect(replay.snapshot().played).toBe(1)
    clock.wind(60_000)
    expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(replay.state()).toMatchObject({ positionMs: 10_000, lengthMs: 10_000, paused: true, atEnd: true })
    expect(clock.waits).toEqual([])
  })

  it('plays at the given speed, and faster and slower', () => {
    const { clock, replay, heard, listen } = replayed({ speed: 4 })
    listen()
    replay.play()
    clock.wind(500)
    expect(heard.at(-1)).toBe(2)
    replay.changeSpeed(-1)
    expect(replay.state().speed).toBe(2)
    clock.wind(500)
    expect(heard.at(-1)).toBe(3)
    replay.changeSpeed(1)
    replay.changeSpeed(1)
    clock.wind(500)
    expect(heard.at(-1)).toBe(7)
    for (let press = 0; press < 20; press += 1) replay.changeSpeed(1)
    expect(replay.state().speed).toBe(64)
    for (let press = 0; press < 20; press += 1) replay.changeSpeed(-1)
    expect(replay.state().speed).toBe(0.25)
  })

  it('pauses and continues', () => {
    const { clock, replay, heard, listen } = replayed()
    listen()
    replay.play()
    clock.wind(1_600)
    replay.toggle()
    expect(replay.state()).toMatchObject({ paused: true, positionMs: 1_600 })
    clock.wind(60_000)
    expect(heard.at(-1)).toBe(1)
    replay.toggle()
    clock.wind(399)
    expect(heard.at(-1)).toBe(1)
    clock.wind(1)
    expect(heard.at(-1)).toBe(2)
  })

  it('starts at the given position, and replays the past to subscribers', () => {
    const { replay, heard, listen } = replayed({ fromMs: 4_200 })
    expect(replay.snapshot().played).toBe(4)
    listen()
    expect(heard).toEqual([0, 1, 2, 3, 4])
    expect(replayed({ fromMs: 1e9 }).replay.state()).toMatchObject({ positionMs: 10_000, atEnd: true })
  })

  it('jumps within the recording', () => {
    const { clock, replay } = replayed()
    const jumpTo = (ms: number) => {
      replay.seekBy(ms)
      return [replay.snapshot().played, replay.state().positionMs, replay.state().jumps]
    }
    replay.play()
    expect(jumpTo(5_500)).toEqual([5, 5_500, 1])
    clock.wind(500)
    expect(replay.snapshot().played).toBe(6)
    expect(jumpTo(-2_000)).toEqual([4, 4_000, 2])
    expect(jumpTo(-5_000)).toEqual([0, 0, 3])
    expect(jumpTo(50_000)).toEqual([10, 10_000, 4])
  })

  it('steps from moment to moment and pauses', () => {
    const { clock, replay, heard, listen } = replayed({ fromMs: 3_000 })
    listen()
    replay.play()
    replay.step(1)
    replay.step(1)
    expect(heard.at(-1)).toBe(5)
    expect(replay.state()).toMatchObject({ paused: true, positionMs: 5_000, jumps: 0 })
    clock.wind(60_000)
    replay.step(-1)
    expect(replay.snapshot().played).toBe(4)
    for (let press = 0; press < 20; press += 1) replay.step(-1)
    expect(replay.state().positionMs).toBe(0)
    for (let press = 0; press < 20; press += 1) replay.step(1)
    expect(replay.state()).toMatchObject({ positionMs: 10_000, atEnd: true })
  })

  it('starts again when played at its end', () => {
    const { clock, replay } = replayed({ fromMs: 10_000 })
    replay.play()
    expect(replay.state()).toMatchObject({ positionMs: 0, paused: false, jumps: 1 })
    clock.wind(1_000)
    expect(replay.snapshot().played).toBe(1)
  })

  it('reports every change until the subscription ends', () => {
    const { clock, replay } = replayed()
    let changes = 0
    const end = replay.onChange(() => {
      changes += 1
    })
    replay.play()
    clock.wind(1_000)
    replay.pause()
    expect(changes).toBe(3)
    end()
    replay.play()
    expect(changes).toBe(3)
  })
})

describe('without a screen', () => {
  it('prints the events as headless mode did, from the given position', () => {
    const packet: FeedItem = { atMs: START_MS, kind: 'packet', note: { direction: 'in', packet: 'suback' } }
    const moments = [momentAt(0), momentAt(1), momentAt(1, { item: packet }), momentAt(61), momentAt(62)]
    const printed = (fromMs: number) => {
      let text = ''
      printReplay(transcriptOf(moments), { fromMs, maxIdleMs: 3_000 }, (more) => {
        text += more
      })
      return text
    }
    expect(printed(0)).toBe([0, 1, 61, 62].map((n) => `{"event":"played","n":${n}}\n`).join(''))
    expect(printed(4_000)).toBe([61, 62].map((n) => `{"event":"played","n":${n}}\n`).join(''))
  })
})
