import { describe, expect, it } from 'vitest'
import {
  type History,
  MOST_ENTRIES,
  NO_HISTORY,
  todayOf,
} from '../../../../simulator/browser/history/history.ts'
import { keepHistory } from '../../../../simulator/browser/history/keep.ts'
import { historyOf } from '../../../../simulator/browser/history/record.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'

const NOON = new Date(2026, 10, 27, 12).getTime()
const DAY_MS = 24 * 60 * 60_000

/** A page of a registered speaker, which goes on in another one after `reload`. */
function shop(first: SpeakerEvent[] = [{ event: 'connected', linked: true }, profile('Quán A', 'QR-A')]) {
  let kept: History = NO_HISTORY
  let nowMs = NOON
  let owed: number[] = []
  const store = {
    load: () => historyOf(JSON.parse(JSON.stringify(kept))),
    save: async (history: History) => {
      kept = history
    },
  }
  const speaker = { hubNowMs: () => nowMs, owesAck: (n: number) => owed.includes(n) }
  let keeper = keepHistory(store, speaker)
  const bench = {
    on: (...events: SpeakerEvent[]) => {
      for (const event of events) keeper.on(event)
    },
    says: (n: number, amount: string) => keeper.on(announce(n, amount)),
    wind: (ms: number) => {
      nowMs += ms
    },
    reload: () => {
      keeper = keepHistory(store, speaker)
    },
    /** The hub has not stored the answers to these commands. */
    owes: (...numbers: number[]) => {
      owed = numbers
      keeper.settle()
    },
    hide: () => keeper.setHidden(true),
    now: () => keeper.now(),
    today: () => {
      const { count, amount } = todayOf(keeper.now(), nowMs)
      return { count, amount }
    },
    listed: () => keeper.now().entries.map(({ amount }) => amount),
  }
  bench.on(...first)
  return bench
}

function profile(name: string, qr: string): SpeakerEvent {
  return { event: 'profile', name, qr }
}

function announce(n: number, amount: string): SpeakerEvent {
  return { event: 'announce', n, amount, currency: 'VND', text: '', lang: 'vi', clips: '' }
}

function missed(n: number, count: number, amount: string): SpeakerEvent {
  return { event: 'missed', n, count, amount }
}

describe('the payments of a phone', () => {
  it('are listed with the newest first, and summed up for the day, also after a reload', () => {
    const bench = shop()
    bench.says(1, '9999999999999')
    bench.says(2, '9999999999999')
    bench.on(missed(3, 2, '1'))
    bench.reload()
    expect(bench.listed()).toEqual(['1', '9999999999999', '9999999999999'])
    expect(bench.today()).toEqual({ count: 4, amount: '19999999999999' })
  })

  it('begin anew at midnight; the list goes on', () => {
    const bench = shop()
    bench.says(1, '1000')
    bench.wind(DAY_MS)
    expect(bench.today()).toEqual({ count: 0, amount: '0' })
    bench.says(2, '2000')
    expect(bench.today()).toEqual({ count: 1, amount: '2000' })
    expect(bench.listed()).toEqual(['2000', '1000'])
  })

  it('leave the list when there are too many; the sum keeps them', () => {
    const bench = shop()
    for (let n = 1; n <= MOST_ENTRIES + 5; n += 1) bench.says(n, '10')
    expect(bench.listed()).toHaveLength(MOST_ENTRIES)
    expect(bench.today()).toEqual({ count: MOST_ENTRIES + 5, amount: String((MOST_ENTRIES + 5) * 10) })
  })

  it('count once when the sound fails in the middle, and the hub names them as missed', () => {
    const bench = shop()
    bench.says(1, '1000')
    bench.on({ event: 'failed', t: 'announce', n: 1, rc: 'audio_failed' }, missed(2, 1, '1000'))
    expect(bench.today()).toEqual({ count: 1, amount: '1000' })
  })

  it('sb/1 7.23: a notice replaces the one before, unless the hub has stored that it was shown', () => {
    const bench = shop()
    bench.on(missed(1, 1, '1000'))
    bench.owes(1)
    bench.on(missed(2, 2, '3000'))
    expect(bench.today()).toEqual({ count: 2, amount: '3000' })
    bench.owes(2)
    // The page is closed before the hub has answered.
    bench.reload()
    bench.owes()
    bench.on(missed(3, 3, '6000'))
    expect(bench.today()).toEqual({ count: 3, amount: '6000' })
    bench.owes()
    bench.on(missed(4, 1, '500'))
    expect(bench.today()).toEqual({ count: 4, amount: '6500' })
  })

  it.each([
    ['another name', [profile('Quán B', 'QR-A')], true],
    ['another QR', [profile('Quán A', 'QR-B')], true],
    ['the end of its registration', [profile('', '')], true],
    ['a welcome without a shop', [{ event: 'connected', linked: false }], true],
    ['another shop than that before a lock', [profile('Quán A', ''), profile('Quán A', 'QR-B')], true],
    ['the same shop', [{ event: 'connected', linked: true }, profile('Quán A', 'QR-A')], false],
    ['a lock', [profile('Quán A', '')], false],
  ] as [string, SpeakerEvent[], boolean][])('go or stay: %s', (_, events, go) => {
    const bench = shop()
    bench.says(1, '1000')
    bench.reload()
    bench.on(...events)
    expect(bench.listed()).toEqual(go ? [] : ['1000'])
    expect(bench.today().count).toBe(go ? 0 : 1)
  })

  it('are those of the new shop when they come ahead of its profile', () => {
    const bench = shop()
    bench.says(1, '1000')
    bench.on({ event: 'connected', linked: true }, announce(2, '2000'), profile('Quán B', 'QR-B'))
    expect(bench.listed()).toEqual(['2000'])
    const fresh = shop([{ event: 'connected', linked: false }, announce(1, '1'), profile('Quán A', 'QR-A')])
    expect(fresh.listed()).toEqual(['1'])
  })

  it('stay hidden after a reload, and for the next shop', () => {
    const bench = shop()
    bench.hide()
    bench.on(profile('Quán B', ''))
    bench.reload()
    expect(bench.now().hidden).toBe(true)
  })

  it.each([undefined, 7, {}, { ...NO_HISTORY, day: { date: '', count: 1, amount: '-1' } }])(
    'are none when the record is damaged: %j',
    (record) => expect(historyOf(record)).toEqual(NO_HISTORY),
  )
})
