import { expect, it } from 'vitest'
import { reportOf, summaryOf } from '../../../../simulator/run/fleet/report/figures.ts'
import { reportText } from '../../../../simulator/run/fleet/report/text.ts'
import { shortThreshold } from '../../../../simulator/run/fleet/report/thresholds.ts'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../support/headless-validator.ts'
import { WoundClock } from '../../support/wound-clock.ts'
import { sentence, standInRun } from './stand-in.ts'

const validate = headlessValidator(FLEET_SCHEMA_TEXT)

/** A run of ten speakers of which two were never registered and one has left; half of the payments were held back. */
function poorRun() {
  const clock = new WoundClock()
  const run = standInRun(10, clock, { pays: true })
  const { pay, fleet, startedAtMs } = run
  if (!pay) throw new Error('it pays')
  fleet.roster.on(3, { atMs: clock.now(), kind: 'event', event: { event: 'disconnected', reason: '' } })
  for (let index = 0; index < 5; index += 1) {
    const payment = pay.ledger.sent(`FT${index}`, index, '50000', clock.now())
    pay.ledger.answered(payment, clock.now() + 10)
    pay.ledger.heard(index, sentence('50000', clock.now() + 100))
  }
  Object.assign(pay.shops, { ready: Array(8).fill({}), waiting: 1, failed: 1, lastFailure: 'no screen' })
  Object.assign(pay.processor, { heldBack: 5, withoutShop: 2 })
  Object.assign(run, {
    awayMs: 4_000,
    ramp: { end: { how: 'stalled', atMs: startedAtMs + 70_000 }, stalledMs: 60_000, patienceMs: 60_000 },
  })
  return { run, clock }
}

it('reports each expectation that failed, with both numbers', () => {
  const { run, clock } = poorRun()
  const report = reportOf(run, clock.now(), [shortThreshold('p99', 50)])
  expect([report, validate(report) || validate.errors]).toEqual([report, true])
  expect(report).toMatchObject({
    ...{ ok: false, mostConnected: 10, awayS: 4, ramp: { ended: 'stalled', seconds: 70 } },
    links: { connected: 9 },
    pay: { asked: 10, sent: 5, heldBack: 5, withoutShop: 2, shops: { ready: 8, missing: 2 } },
  })
  const p99 = report.pay?.speechMs?.p99
  expect(report.problems).toEqual([
    '9 of 10 speakers were connected at the end, 10 at the most; --expect-connected is 10 or more',
    '8 of 10 shops were ready, 2 were missing, 1 were not registered (no screen); --expect-shops is 10 or more',
    '5 of 10 payments were made (50 %), 5 were held back, 2 of them without a shop; --expect-rate is 95 % or more',
    `callback to speech took ${p99} ms or less for 99 of 100 payments; --expect-p99 is 50 ms or less`,
  ])
})

it('says the same to people', () => {
  const { run, clock } = poorRun()
  const lines = reportText(reportOf(run, clock.now(), [shortThreshold('connected', 9)])).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringContaining('9 connected at the end, 10 at the most'),
      'The ramp ended after 70 s, because it got no further.',
      'The hub was away for 4 s.',
      '8 shops, 2 missing. 10 payments were asked for: 5 sent, 5 held back.',
      'Reached: 9 of 10 speakers were connected at the end, 10 at the most; --expect-connected is 9 or more.',
      expect.stringMatching(/^Problem: 8 of 10 shops were ready, .* --expect-shops is 10 or more\.$/),
      expect.stringMatching(/^Problem: 5 of 10 payments were made \(50 %\), .*\.$/),
    ]),
  )
})

it('names the payments that were not heard exactly once, the worst first, to programs and to people', () => {
  const { run, clock } = poorRun()
  const ledger = run.pay?.ledger
  if (!ledger) throw new Error('it pays')
  const sent = (code: string, speaker: number) => ledger.sent(code, speaker, '60000', clock.now())
  for (let index = 0; index < 30; index += 1)
    ledger.unheard(
      ledger.sent(`FT-M${index}`, 5, `${index + 1}000`, clock.now()),
      'missed',
      'the hub says: failed, muted',
    )
  ledger.unheard(sent('FT-L', 2), 'lost', 'the hub says: played')
  const after = sent('FT-A', 4)
  ledger.unheard(after, 'missed')
  ledger.heard(4, sentence('60000', clock.now()))
  ledger.heard(0, sentence('50000', clock.now()))
  const report = reportOf(run, clock.now())
  expect(validate(report) || validate.errors).toBe(true)
  expect(report.failures?.map(({ ftCode }) => ftCode)).toEqual([
    ...['FT-L', 'FT0'],
    ...Array.from({ length: 30 }, (_, index) => `FT-M${index}`),
  ])
  expect(report.failures?.[0]).toEqual({
    ...{ outcome: 'lost', ftCode: 'FT-L', serial: 'FLEET-00003', amount: '60000' },
    ...{ sentAt: new Date(clock.now()).toISOString(), why: 'the hub says: played' },
  })
  const lines = reportText(report).split('\n')
  const from = lines.indexOf('Not heard exactly once:')
  expect(lines[from + 1]).toMatch(/^ {2}lost {7}FT-L {2}FLEET-00003 {2}60\.000 đ {2}the hub says: played$/)
  expect(lines.at(-2)).toBe('  and 12 more: --report FILE has up to 1,000 of each outcome')
})

it('takes a payment without an outcome for a problem, unless somebody ended the run', () => {
  const { run, clock } = poorRun()
  run.pay?.ledger.sent('FT9', 9, '60000', clock.now())
  const problems = () => reportOf(run, clock.now()).problems
  expect(problems()).toContain('1 payments have no outcome: they were open when the run ended')
  Object.assign(run, { isStopped: true })
  expect(problems().join()).not.toContain('no outcome')
})

it('says in a summary since when the hub is away', () => {
  const { run, clock } = poorRun()
  const summary = () => summaryOf(run, clock.now())
  expect(summary().away).toBeNull()
  Object.assign(run, { away: { speakersSinceMs: undefined, apiSinceMs: 1_000, apiFailure: 'refused' } })
  expect(summary().away).toEqual({
    ...{ noSpeakerSince: null, noAnswerSince: '1970-01-01T00:00:01.000Z', failure: 'refused' },
  })
  expect(validate(summary())).toBe(true)
})
