import { describe, expect, it } from 'vitest'
import { durationToMs, timings } from '../../../protocol/conformance/case/duration.ts'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { type Expected, mismatches } from '../../../protocol/conformance/case/matcher.ts'
import { parseProfile } from '../../../protocol/conformance/case/profile.ts'
import { selectCases } from '../../../protocol/conformance/case/select.ts'
import { unmetRequirement } from '../../../protocol/conformance/run/requirements.ts'

const CASES = loadCases()
const idsFor = (...patterns: string[]) =>
  selectCases(CASES, patterns, { slow: false }).cases.map(({ id }) => id)

describe('--only', () => {
  it.each([
    [
      ['size'],
      [
        'session/opens',
        'size/full-buffer',
        'size/over-buffer',
        'size/forged-over-buffer',
        'size/longest-name',
        'size/longest-qr',
        'size/longest-sentence',
        'size/in-pieces',
        'size/joined',
      ],
    ],
    [['no-mac'], ['session/opens', 'mac/no-mac']],
    [['mac/mac-s*'], ['session/opens', 'mac/mac-short']],
    [
      ['11.5', 'session/puback'],
      ['session/opens', 'session/puback', 'expiry/clock-not-moved-back'],
    ],
  ])('%j', (patterns, ids) => {
    expect(idsFor(...patterns)).toEqual(ids)
  })

  it('names a pattern without a match', () => {
    expect(() => idsFor('mac', 'mca')).toThrow('--only mca: no case matches')
  })

  it('excludes slow cases unless they are named or --slow is given', () => {
    expect(selectCases(CASES, [], { slow: false }).leftOut).toEqual([
      'connection/telemetry-again',
      'connection/pings',
      'ack/many-in-a-session',
      'screen/missed-outlasts-qr',
      'held/never-confirmed',
      'rekey/without-puback',
      'reconnection/wait-grows',
      'reconnection/waits-in-time',
      'reconnection/hung-up-for-long',
      'reconnection/without-pingresp',
      'reconnection/without-welcome',
      'reconnection/without-connack',
      'reconnection/without-suback',
      'reconnection/half-open',
      'reconnection/refused-fifteen-minutes',
      'reconnection/refused-version',
    ])
    expect(selectCases(CASES, [], { slow: true }).leftOut).toEqual([])
    expect(idsFor('reconnection/half-open')).toContain('reconnection/half-open')
  })

  it('runs last the cases after which the device stays offline', () => {
    const order = selectCases(CASES, [], { slow: true }).cases
    expect(order.slice(-2).map(({ id }) => id)).toEqual([
      'reconnection/refused-not-authorised',
      'reconnection/refused-credentials',
    ])
  })
})

describe('an expected value', () => {
  const facts = { st: 'played', n: 7, will: { qos: 1 }, list: [1] }
  const lookup = (name: string) => ({ 'pay.n': 7 })[name]

  it.each<[Record<string, Expected>, string[]]>([
    [{ st: 'played', n: '$pay.n', 'will.qos': { any: [0, 1] }, dup: null }, []],
    [{ st: { not: 'failed' }, n: { from: 7 } }, []],
    [{ n: { from: 1, to: 6 } }, ['n from 1 to 6']],
    [{ st: { matches: '^sh' } }, ['st like /^sh/']],
    [{ 'will.topic': 'x', st: 'shown' }, ['will.topic "x"', 'st "shown"']],
    [{ st: null }, ['st left out']],
    [{ constructor: { not: null } }, ['constructor other than left out']],
  ])('%j', (wanted, unmet) => {
    expect(mismatches(wanted, facts, lookup).map((one) => one.wanted)).toEqual(unmet)
  })
})

describe('a duration', () => {
  it.each([
    ['answer', 3_000],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['1.5 keepalives', 45_000],
    ['1.5 of sentence', 3_000],
    ['2 trips', 800],
    ['1s + quiet + 2 trips', 2_100],
  ])('%s', (given, ms) => {
    const measures = { timings: timings.parse({}), keepaliveS: 30, tripMs: 400, measuredMs: () => 2_000 }
    expect(durationToMs(given, measures)).toBe(ms)
  })
})

describe('a profile', () => {
  it('has default timings, and may override them', () => {
    expect(parseProfile('p', '').timings.answerMs).toBe(3_000)
    expect(parseProfile('p', 'timings: { answerMs: 8000 }').timings).toMatchObject({
      answerMs: 8_000,
      quietMs: 300,
    })
    expect(parseProfile('p', '{"caps": ["speaker"]}').caps).toEqual(['speaker'])
  })

  it.each([
    ['caps: [speaker, jukebox]', /p is not a valid profile[\s\S]*caps\[1\]/],
    ['capabilities: []', /Unrecognized key: "capabilities"/],
    ['timings: { answerMs: 1 }', /timings\.answerMs/],
    ['a: [', /^p: /],
  ])('with a mistake is rejected, and the message names the place: %s', (text, message) => {
    expect(() => parseProfile('p', text)).toThrow(message)
  })

  it('gives the reason why a case does not apply to the device', () => {
    const needing = (id: string) => CASES.find((one) => one.id === id) ?? CASES[0]
    const speaker = parseProfile('p', 'caps: [speaker]\nlang: [vi]\nqueue: false\nclock: own')
    const why = (id: string) => {
      const one = needing(id)
      return one && unmetRequirement(one, speaker, undefined, {})
    }
    expect(why('ack/code')).toBe('it has no screen')
    expect(why('ack/announce-english')).toBe('it has no English clips')
    expect(why('order/in-turn')).toMatch(/one announcement at a time/)
    expect(why('expiry/clock-of-welcome')).toMatch(/its own clock/)
    expect(why('dedupe/played-over-power-cut')).toMatch(/--power-cycle/)
    expect(why('ack/announce')).toBeUndefined()
    expect(why('ack/no-screen')).toBeUndefined()
  })
})
