import { describe, expect, it } from 'vitest'
import { EventLog } from '../../../../simulator/run/scenario/play/event-log.ts'
import { describeDifferences, differences } from '../../../../simulator/run/scenario/play/match.ts'
import { nearestTo } from '../../../../simulator/run/scenario/play/nearest-event.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import type { FeedListener } from '../../../../simulator/speaker/feed.ts'
import { startLaggingClock } from '../../support/lagging-clock.ts'

describe('the differences of a value', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, ''],
    [{ a: null }, {}, ''],
    [{ a: [1, 2] }, { a: [1, 2] }, ''],
    [{ a: [1] }, { a: [1, 2] }, 'a is [1,2], not [1]'],
    [{ a: 1 }, {}, 'a is missing, not 1'],
    [{ a: null }, { a: 'x' }, 'a is "x", not missing'],
    [
      { display: { screen: 'qr', bill: 'B' } },
      { display: { screen: 'qr', bill: 'C' } },
      'display.bill is "C", not "B"',
    ],
    [{ a: '1', b: 2 }, { a: '2', b: 3 }, 'a is "2", not "1"; b is 3, not 2'],
  ])('%j and %j', (wanted, seen, text) => {
    expect(describeDifferences(differences(wanted, seen))).toBe(text)
  })
})

describe('the nearest event', () => {
  const announce = (n: number, amount: string): SpeakerEvent => ({
    ...{ event: 'announce', n, amount, currency: 'VND', text: '', lang: 'vi', clips: '' },
  })

  /** The nearest of these events, a second apart; those up to `matched` have been matched. */
  async function nearest(
    wanted: Parameters<typeof nearestTo>[0],
    events: SpeakerEvent[],
    matched?: SpeakerEvent,
  ) {
    let tell: FeedListener = () => undefined
    const subscribe = (listener: FeedListener) => {
      tell = listener
      return () => undefined
    }
    const clock = startLaggingClock()
    const log = new EventLog({ subscribe }, clock)
    for (const [index, event] of events.entries()) tell({ kind: 'event', atMs: 1_000 * (index + 1), event })
    if (matched) await log.next({ ...matched }, 1)
    clock.stop()
    return nearestTo(wanted, log, 0)
  }

  it('is the one with the fewest differences, which are named', async () => {
    const found = await nearest({ event: 'announce', amount: '2000', lang: 'vi' }, [
      { event: 'played', n: 1 },
      announce(2, '1000'),
      { ...announce(3, '3000'), lang: 'en' } as SpeakerEvent,
    ])
    expect(found).toMatch(
      /^The nearest came at \+2\.00 s: \{"event":"announce","n":2,.*\}: amount is "1000", not "2000"$/,
    )
  })

  it('may have another name, when it has something in common', async () => {
    const events: SpeakerEvent[] = [{ event: 'paid', n: 1, bill: 'B', amount: '2000' }]
    expect(await nearest({ event: 'announce', amount: '2000' }, events)).toMatch(
      /event is "paid", not "announce"$/,
    )
    expect(await nearest({ event: 'announce', amount: '1000' }, events)).toBeUndefined()
    expect(await nearest({ event: 'announce' }, events)).toBeUndefined()
  })

  it('may have come too early: each event is matched once, in order', async () => {
    const events = [announce(1, '1000'), announce(2, '2000')]
    expect(await nearest({ event: 'announce', amount: '1000' }, events, announce(2, '2000'))).toMatch(
      /^One came at \+1\.00 s, before the last matched event: \{"event":"announce","n":1,/,
    )
  })

  it('is none when nothing came', async () => {
    expect(await nearest({ event: 'announce' }, [])).toBeUndefined()
  })
})
