import type { Histogram, Measured, Percentiles } from '../model/histogram.ts'
import { OWN_DIALECT, PAYMENT_TIMES } from '../model/ledger.ts'
import type { Run } from '../run/run.ts'
import type { Buckets, Failure, PaySummary, Report, Summary, Times } from './lines.ts'
import { type Judged, judge, type Threshold, withDefaults } from './thresholds.ts'

export function summaryOf(run: Run, nowMs: number): Summary {
  const { fleet, phase } = run
  return {
    event: 'summary',
    phase,
    ...figuresOf(run, nowMs),
    ...(run.pay && { pay: payOf(run.pay, fleet.roster.rows.length, nowMs) }),
    away: awayOf(run),
    stage: stageOf(run.pay),
    paymentsPerS: round(run.pay?.processor.perSecond ?? 0),
    connectsPerS: round(fleet.roster.connects.rate(nowMs)),
    announcementsPerS: round(fleet.roster.announcements.rate(nowMs)),
    rssBytes: process.memoryUsage.rss(),
  }
}

function figuresOf({ fleet, startedAtMs, ramp, awayMs, conditions }: Run, nowMs: number) {
  const { roster } = fleet
  const { links, mostConnected, reconnects, announced } = roster.totals
  return {
    at: new Date(nowMs).toISOString(),
    elapsedS: round((nowMs - startedAtMs) / 1000),
    speakers: roster.rows.length,
    ramp: ramp.end
      ? { ended: ramp.end.how, seconds: round((ramp.end.atMs - startedAtMs) / 1000) }
      : { ended: null, seconds: null },
    links: { ...links },
    ...{ mostConnected, reconnects, announced },
    awayS: round(awayMs / 1000),
    conditions: { ...conditions },
    connectMs: timesOf(roster.connectTimes.percentiles()),
  }
}

type Paying = NonNullable<Run['pay']>

function awayOf({ away }: Run): Summary['away'] {
  if (!away) return null
  const { speakersSinceMs, apiSinceMs, apiFailure } = away
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  return { noSpeakerSince: iso(speakersSinceMs), noAnswerSince: iso(apiSinceMs), failure: apiFailure }
}

function stageOf(pay: Run['pay']): Summary['stage'] {
  const { stage, stages = [] } = pay?.processor ?? {}
  return stage ? { name: stage.stage.name, number: stage.number, of: stages.length } : null
}

function payOf(pay: Paying, speakers: number, nowMs: number): PaySummary {
  const { ledger } = pay
  return {
    ...paidOf(pay, speakers),
    ...paymentTimes(({ recent }) => recent.percentiles(nowMs), ledger),
  }
}

function paidOf({ ledger, shops, processor }: Paying, speakers: number) {
  return {
    ...ledger.totals,
    ...dialectsOf(ledger),
    heard: ledger.totals.heardOnce + ledger.totals.heardTwice,
    shops: shopsOf(shops, speakers),
    asked: ledger.totals.sent + processor.heldBack,
    heldBack: processor.heldBack,
    withoutShop: processor.withoutShop,
    ...processor.mix,
  }
}

/** Of a fleet with boxes. */
function dialectsOf({ dialects }: Paying['ledger']) {
  const isMixed = [...dialects.keys()].some((name) => name !== OWN_DIALECT)
  return isMixed
    ? { dialects: Object.fromEntries([...dialects].map(([name, totals]) => [name, { ...totals }])) }
    : {}
}

function shopsOf({ ready, waiting, failed, lastFailure }: Paying['shops'], speakers: number) {
  return { ready: ready.length, missing: speakers - ready.length, waiting, failed, lastFailure }
}

/** `given`: what the run must reach besides, or in place of, [what every run must](thresholds.ts). */
export function reportOf(run: Run, nowMs: number, given: readonly Threshold[] = []): Report {
  const { pay } = run
  const figures = { ...figuresOf(run, nowMs), ...(run.linksAtEnd && { links: run.linksAtEnd }) }
  const paid = pay && {
    ...paidOf(pay, figures.speakers),
    ...paymentTimes(({ all }) => all.percentiles(), pay.ledger),
  }
  const reached = { ...figures, ...(paid && { pay: paid }), highestRssBytes: run.highestRssBytes }
  const thresholds = withDefaults(given, figures.speakers, pay !== undefined)
  const expectations = judge(thresholds, reached)
  const problems = problemsOf(run, expectations)
  return {
    event: 'report',
    ok: problems.length === 0,
    problems,
    expectations,
    ...reached,
    buckets: bucketsOf(histogramsOf(run, ({ all }) => all)),
    ...(pay && { failures: failuresOf(run, pay) }),
  }
}

function failuresOf({ fleet }: Run, { ledger }: Paying): Failure[] {
  return ledger.failures().map(({ outcome, payment: { ftCode, speaker, amount, sentAtMs, why } }) => ({
    ...{ outcome, ftCode, serial: fleet.roster.rows[speaker]?.serial ?? '' },
    ...{ amount, sentAt: new Date(sentAtMs).toISOString(), why },
  }))
}

/** How the problem of a run begins that has made no payment. */
export const NONE_MADE = 'no payment was made'

/** The reasons for which a run fails with exit code 1. */
function problemsOf({ fleet, pay, gaveUp, isStopped }: Run, expectations: readonly Judged[]): string[] {
  const problems = expectations.filter(({ ok }) => !ok).map(({ says }) => says)
  const { totals, rows } = fleet.roster
  if (gaveUp !== undefined) problems.push(gaveUp)
  if (totals.welcomed === 0) problems.push(`none of ${rows.length} speakers was ever welcomed`)
  if (totals.links.broken > 0) problems.push(`${totals.links.broken} speakers are broken`)
  if (!pay) return problems
  const { heardTwice, mayRepeat, late, lost, unanswered, sent, open } = pay.ledger.totals
  const doubled = heardTwice - mayRepeat
  if (doubled > 0) problems.push(`${doubled} payments were heard more than once`)
  if (late > 0) problems.push(`${late} payments were heard after their time`)
  if (lost > 0) problems.push(`${lost} payments were answered and never heard, and the hub does not say why`)
  if (unanswered > 0)
    problems.push(`${unanswered} payments were never answered: ${pay.processor.lastFailure}`)
  const { qrsRefused, repeatsRefused, wrongAccepted } = pay.processor.mix
  if (qrsRefused > 0) problems.push(`${qrsRefused} QRs were refused: ${pay.processor.lastFailure}`)
  if (repeatsRefused > 0)
    problems.push(
      `${repeatsRefused} repeated callbacks were not answered like the first: ${pay.processor.lastFailure}`,
    )
  if (wrongAccepted > 0)
    problems.push(`${wrongAccepted} callbacks with a wrong checksum were answered with 200`)
  if (open > 0 && !isStopped)
    problems.push(`${open} payments have no outcome: they were open when the run ended`)
  if (sent === 0) problems.push(`${NONE_MADE}: ${pay.shops.lastFailure || 'there was no shop in time'}`)
  return problems
}

function paymentTimes(read: (measured: Measured) => Percentiles | undefined, { times }: Paying['ledger']) {
  const { answer, socket, queue, sound, speech, qr } = times
  const of = (measured: Measured) => timesOf(read(measured))
  return {
    ...{ answerMs: of(answer), socketMs: of(socket), queueMs: of(queue) },
    ...{ soundMs: of(sound), speechMs: of(speech), qrMs: of(qr) },
  }
}

function histogramsOf({ fleet, pay }: Run, which: (measured: Measured) => Histogram) {
  const paid = pay ? PAYMENT_TIMES.map((name) => [name, which(pay.ledger.times[name])] as const) : []
  return new Map([['connect', fleet.roster.connectTimes], ...paid])
}

/** The histograms behind the times of a summary. */
export function recentOf(run: Run, nowMs: number): Record<string, Buckets> {
  return bucketsOf(histogramsOf(run, ({ recent }) => recent.last(nowMs)))
}

/** The histograms that have a time, by their names. */
export function bucketsOf(histograms: ReadonlyMap<string, Histogram>): Record<string, Buckets> {
  const measured = [...histograms].filter(([, { count }]) => count > 0)
  return Object.fromEntries(measured.map(([name, histogram]) => [name, histogram.buckets()]))
}

export function timesOf(times: Percentiles | undefined): Times {
  if (!times) return null
  const { count, p50, p90, p95, p99, max } = times
  return {
    ...{ count, p50: round(p50), p90: round(p90), p95: round(p95) },
    ...{ p99: round(p99), max: round(max) },
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
