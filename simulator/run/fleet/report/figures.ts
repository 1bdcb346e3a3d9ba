import type { Percentiles } from '../model/histogram.ts'
import type { Run } from '../run/run.ts'
import type { PaySummary, Report, Summary, Times } from './lines.ts'

export function summaryOf(run: Run, nowMs: number): Summary {
  const { fleet, phase } = run
  return {
    event: 'summary',
    phase,
    ...figuresOf(run, nowMs),
    ...(run.pay && { pay: payOf(run.pay, nowMs) }),
    connectsPerS: round(fleet.roster.connects.rate(nowMs)),
    announcementsPerS: round(fleet.roster.announcements.rate(nowMs)),
    rssBytes: process.memoryUsage.rss(),
  }
}

function figuresOf({ fleet, startedAtMs }: Run, nowMs: number) {
  const { roster } = fleet
  const { links, reconnects, announced } = roster.totals
  return {
    at: new Date(nowMs).toISOString(),
    elapsedS: round((nowMs - startedAtMs) / 1000),
    speakers: roster.rows.length,
    links: { ...links },
    ...{ reconnects, announced },
    connectMs: timesOf(roster.connectTimes.percentiles()),
  }
}

type Paying = NonNullable<Run['pay']>

function payOf(pay: Paying, nowMs: number): PaySummary {
  const { ledger } = pay
  return {
    ...paidOf(pay),
    answerMs: timesOf(ledger.recentAnswers.percentiles(nowMs)),
    speechMs: timesOf(ledger.recentSpeech.percentiles(nowMs)),
  }
}

function paidOf({ ledger, shops, processor }: Paying) {
  return {
    ...ledger.totals,
    shops: shopsOf(shops),
    heldBack: processor.heldBack,
  }
}

function shopsOf({ ready, waiting, failed, lastFailure }: Paying['shops']) {
  return { ready: ready.length, waiting, failed, lastFailure }
}

export function reportOf(run: Run, nowMs: number): Report {
  const { pay } = run
  const problems = problemsOf(run)
  return {
    event: 'report',
    ok: problems.length === 0,
    problems,
    ...figuresOf(run, nowMs),
    ...(run.linksAtEnd && { links: run.linksAtEnd }),
    ...(pay && {
      pay: {
        ...paidOf(pay),
        answerMs: timesOf(pay.ledger.answerTimes.percentiles()),
        speechMs: timesOf(pay.ledger.speechTimes.percentiles()),
      },
    }),
    highestRssBytes: run.highestRssBytes,
  }
}

/** The reasons for which a run fails with exit code 1. */
function problemsOf({ fleet, pay }: Run): string[] {
  const problems: string[] = []
  const { totals, rows } = fleet.roster
  if (totals.welcomed === 0) problems.push(`none of ${rows.length} speakers was ever welcomed`)
  if (totals.links.broken > 0) problems.push(`${totals.links.broken} speakers are broken`)
  if (!pay) return problems
  const { heardTwice, lost, unanswered, sent } = pay.ledger.totals
  if (heardTwice > 0) problems.push(`${heardTwice} payments were heard more than once`)
  if (lost > 0) problems.push(`${lost} payments were answered and never heard, and the hub does not say why`)
  if (unanswered > 0)
    problems.push(`${unanswered} payments were never answered: ${pay.processor.lastFailure}`)
  if (sent === 0)
    problems.push(`no payment was made: ${pay.shops.lastFailure || 'there was no shop in time'}`)
  return problems
}

function timesOf(times: Percentiles | undefined): Times {
  if (!times) return null
  const { count, p50, p90, p99, max } = times
  return { count, p50: round(p50), p90: round(p90), p99: round(p99), max: round(max) }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
