import { describe, expect, it } from 'vitest'
import { NO_MIX } from '../../../../simulator/run/fleet/pay/kinds.ts'
import type { Reached } from '../../../../simulator/run/fleet/report/lines.ts'
import {
  judge,
  parseThreshold,
  shortThreshold,
  type Threshold,
  withDefaults,
} from '../../../../simulator/run/fleet/report/thresholds.ts'

type Paid = NonNullable<Reached['pay']>

/** A fleet of 100 that has reached all, changed by the test. */
function reachedBy(change: Partial<Reached> = {}, paid: Partial<Paid> = {}): Reached {
  const pay: Paid = {
    ...{ sent: 500, answered: 500, heard: 500, heardOnce: 500, heardTwice: 0, missed: 0, lost: 0 },
    ...{ silent: 0, mayRepeat: 0, late: 0 },
    ...{ unanswered: 0, open: 0, retries: 0, foreign: 0, asked: 500, heldBack: 0, withoutShop: 0 },
    shops: { ready: 100, missing: 0, waiting: 0, failed: 0, lastFailure: '' },
    ...{ answerMs: null, socketMs: null, queueMs: null, soundMs: null, qrMs: null },
    ...NO_MIX,
    speechMs: { count: 500, p50: 20, p90: 90, p95: 120, p99: 480, max: 900 },
    ...paid,
  }
  const links = { broken: 0, refused: 0, off: 0, offline: 0, connecting: 0, born: 0, new: 0, connected: 100 }
  return {
    ...{ at: '2026-01-01T00:00:00.000Z', elapsedS: 60, speakers: 100, links, mostConnected: 100 },
    ...{ ramp: { ended: 'complete', seconds: 3 }, reconnects: 0, announced: 500, awayS: 0, conditions: {} },
    ...{ connectMs: null, highestRssBytes: 1, pay, ...change },
  }
}

function linksWith(connected: number): Pick<Reached, 'links'> {
  return { links: { ...reachedBy().links, connected } }
}

const judged = (given: readonly Threshold[], reached: Reached) =>
  judge(withDefaults(given, reached.speakers, reached.pay !== undefined), reached)

const failed = (given: readonly Threshold[], reached: Reached) =>
  judged(given, reached).flatMap(({ ok, expect: name, says }) => (ok ? [] : [`${name}: ${says}`]))

function threshold(text: string): Threshold {
  const parsed = parseThreshold(text)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

describe('by default', () => {
  it('all that was asked for is expected, nothing is missed, and any time to speech is right', () => {
    const shown = (reached: Reached) =>
      judged([], reached).map(({ expect: name, expected, ok }) => [name, expected, ok])
    expect(shown(reachedBy())).toEqual([
      ['connected', 100, true],
      ['shops', 100, true],
      ['rate', 95, true],
      ['missed', 0, true],
    ])
    const { pay: _, ...unpaid } = reachedBy()
    expect(shown(unpaid)).toEqual([['connected', 100, true]])
  })

  it('a fleet that never got up fails with every reason', () => {
    const shops = { ready: 10, missing: 90, waiting: 88, failed: 2, lastFailure: 'no screen' }
    const reached = reachedBy(
      { ...linksWith(17), mostConnected: 20 },
      { shops, sent: 15, heldBack: 485, withoutShop: 450 },
    )
    expect(failed([], reached)).toEqual([
      'connected: 17 of 100 speakers were connected at the end, 20 at the most; --expect-connected is 100 or more',
      'shops: 10 of 100 shops were ready, 90 were missing, 2 were not registered (no screen); --expect-shops is 100 or more',
      'rate: 15 of 500 payments were made (3 %), 485 were held back, 450 of them without a shop; --expect-rate is 95 % or more',
    ])
  })

  it('half of the payments unheard is a failure', () => {
    expect(failed([], reachedBy({}, { heard: 250, heardOnce: 250, missed: 250 }))).toEqual([
      'missed: 250 of 500 payments were missed (50 %); --expect-missed is 0 % or less',
    ])
  })
})

describe('at the limit', () => {
  const shops = { ready: 90, missing: 10, waiting: 10, failed: 0, lastFailure: '' }
  it.each<[string, Threshold[], Reached, Threshold[], Reached]>([
    [
      'connected speakers',
      [shortThreshold('connected', 90)],
      reachedBy(linksWith(90)),
      [shortThreshold('connected', 90)],
      reachedBy(linksWith(89)),
    ],
    [
      'shops',
      [shortThreshold('shops', 90)],
      reachedBy({}, { shops }),
      [shortThreshold('shops', 91)],
      reachedBy({}, { shops }),
    ],
    ['the rate', [], reachedBy({}, { sent: 475 }), [], reachedBy({}, { sent: 474 })],
    ['the p99', [shortThreshold('p99', 480)], reachedBy(), [shortThreshold('p99', 479.9)], reachedBy()],
    [
      'the missed',
      [shortThreshold('missed', 1)],
      reachedBy({}, { missed: 5 }),
      [shortThreshold('missed', 1)],
      reachedBy({}, { missed: 6 }),
    ],
    [
      'the heard',
      [shortThreshold('heard', 99)],
      reachedBy({}, { heard: 495, missed: 5 }),
      [shortThreshold('heard', 99)],
      reachedBy({}, { heard: 494, missed: 6 }),
    ],
    [
      'any figure',
      [threshold('retries < 3')],
      reachedBy({}, { retries: 2 }),
      [threshold('retries == 2')],
      reachedBy(),
    ],
  ])('%s are enough, and one less is not', (_, enough, reached, tooMuch, notReached) => {
    expect(failed(enough, reached)).toEqual([])
    expect(failed(tooMuch, notReached)).toHaveLength(1)
  })
})

it('a share that is shown rounded is judged exactly', () => {
  const [, , rate] = judged([], reachedBy({}, { asked: 10_000, sent: 9_499 }))
  expect(rate).toMatchObject({ ok: false, reached: 94.9 })
  const missed = judged([], reachedBy({}, { sent: 10_000, missed: 1 })).at(-1)
  expect(missed).toMatchObject({ ok: false, reached: 0.1 })
})

it('a run in which nothing was measured fails, unless nothing was expected', () => {
  const idle = reachedBy({}, { asked: 0, sent: 0, speechMs: null })
  expect(failed([shortThreshold('p99', 500), threshold('connectMs.p50 < 9')], idle)).toEqual([
    'rate: no payment came due; --expect-rate is 95 % or more',
    'p99: no payment was heard; --expect-p99 is 500 ms or less',
    'connectMs.p50 < 9: connectMs.p50 was not measured; --expect is connectMs.p50 < 9',
  ])
  expect(failed([shortThreshold('rate', 0)], idle)).toEqual([])
})

describe('the text of a threshold', () => {
  it.each([
    ['heard >= 99.5%', { figure: 'heard', operator: '>=', bound: 99.5, isShare: true }],
    ['links.connected==7', { figure: 'links.connected', operator: '==', bound: 7, isShare: false }],
    ['speechMs.p90 < 1.5s', { figure: 'speechMs.p90', operator: '<', bound: 1_500, isShare: false }],
    ['awayS <= 2m', { figure: 'awayS', operator: '<=', bound: 120, isShare: false }],
    [' lost > 3 ', { expect: 'lost > 3', figure: 'lost' }],
  ])('%j names a figure and its limit', (text, parsed) => {
    expect(parseThreshold(text)).toMatchObject(parsed)
  })

  it.each([
    ['heard', /^Give a figure and its limit/],
    ['heard => 5', /^Give a figure and its limit/],
    ['herd > 5', /did you mean heard\?$/],
    ['nonsense.at.all > 5', /the figures are .*links\.connected.*speechMs\.p99/],
    ['reconnects < 5%', /is no part of anything/],
    ['lost < 5ms', /is not a time/],
  ])('%j says what is wrong with it', (text, sentence) => {
    expect(parseThreshold(text)).toMatch(sentence)
  })

  it('replaces the default of its figure, and so does what must be heard for what may be missed', () => {
    const names = (...texts: string[]) =>
      withDefaults(texts.map(threshold), 5, true).map(({ expect: name }) => name)
    expect(names('links.connected >= 80%', 'lost == 0')).toEqual([
      ...['links.connected >= 80%', 'shops', 'rate', 'missed', 'lost == 0'],
    ])
    expect(names('heard >= 99%')).toEqual(['connected', 'shops', 'rate', 'heard >= 99%'])
  })
})
