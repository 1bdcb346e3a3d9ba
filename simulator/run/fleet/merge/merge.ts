import { Histogram } from '../model/histogram.ts'
import { FAILED_OUTCOMES, MOST_NAMED, PAYMENT_TIMES } from '../model/ledger.ts'
import { bucketsOf, NONE_MADE, timesOf } from '../report/figures.ts'
import {
  type Buckets,
  type Failure,
  type Reached,
  type Report,
  reachedLine,
  type Summary,
  summaryLine,
} from '../report/lines.ts'
import { judge, type Threshold, withDefaults } from '../report/thresholds.ts'

/** The report of a fleet that was a part of a larger one, and the file that it comes from. */
export interface Part {
  file: string
  report: Report
}

/** A summary of one process, and the histograms behind its times. */
export interface SummaryPart {
  summary: Summary
  recent: Record<string, Buckets>
}

/** Figures of which the whole has the largest of its parts; all others are added up. */
const LARGEST = new Set(['elapsedS', 'awayS', 'seconds', 'highestRssBytes', 'number', 'of'])
/** How the ramp of the whole ended: as the worst of its parts. */
const RAMP_ENDS = ['stopped', 'stalled', 'complete'] as const

/**
 * One report of several fleets that ran at the same time, with the percentiles of all times. It is judged anew: the
 * thresholds of the parts do not count, but what every run must keep does.
 */
export function mergeReports(parts: readonly Part[], given: readonly Threshold[]): Report {
  const reports = parts.map(({ report }) => report)
  const reached = reachedBy(reports)
  const buckets = addedBuckets(bucketsIn(reports))
  const expectations = judge(withDefaults(given, reached.speakers, reached.pay !== undefined), reached)
  const problems = [
    ...expectations.filter(({ ok }) => !ok).map(({ says }) => says),
    ...parts.flatMap(({ file, report }) => othersOf(report, reached).map((problem) => `${file}: ${problem}`)),
  ]
  return {
    event: 'report',
    ok: problems.length === 0,
    ...{ problems, expectations, ...reached, buckets: bucketsOf(buckets) },
    ...(reached.pay && { failures: failuresOf(reports) }),
  }
}

/** The problems of a part that are not failed expectations. A part may have no payment when the whole has some. */
function othersOf({ problems, expectations }: Report, { pay }: Reached): string[] {
  const judged = new Set(expectations.map(({ says }) => says))
  const isOwn = (problem: string) => (pay?.sent ?? 0) > 0 && problem.startsWith(NONE_MADE)
  return problems.filter((problem) => !judged.has(problem) && !isOwn(problem))
}

function reachedBy(reports: readonly Report[]): Reached {
  const whole = added('', reports)
  return reachedLine.parse({ ...Object(whole), ...sharedOf(reports, addedBuckets(bucketsIn(reports))) })
}

/** The phase of the whole is the first that a part is in. */
const PHASES: readonly Summary['phase'][] = ['connecting', 'running', 'settling', 'ending']

/** One summary of several processes at the same moment. */
export function mergeSummaries(parts: readonly SummaryPart[]): Summary {
  const summaries = parts.map(({ summary }) => summary)
  const phases = summaries.map(({ phase }) => phase)
  const times = addedBuckets(parts.map(({ recent }) => recent))
  const whole = Object(added('', summaries))
  const phase = PHASES.find((one) => phases.includes(one))
  return summaryLine.parse({ ...whole, phase, ...sharedOf(summaries, times) })
}

/** What can't be added up part by part. */
function sharedOf(lines: readonly (Report | Summary)[], times: ReadonlyMap<string, Histogram>) {
  const of = (name: string) => timesOf(times.get(name)?.percentiles())
  const ends = lines.map(({ ramp }) => ramp.ended)
  // A part whose ramp lasts is the ramp of the whole.
  const isRamp = ends.includes(null)
  const seconds = Math.max(...lines.map(({ ramp }) => ramp.seconds ?? 0))
  const pays = lines.map(({ pay }) => pay)
  const pay: unknown = added('pay', pays)
  const paid = Object.fromEntries(PAYMENT_TIMES.map((name) => [`${name}Ms`, of(name)]))
  return {
    at: lines
      .map(({ at }) => at)
      .sort()
      .at(-1),
    ramp: isRamp
      ? { ended: null, seconds: null }
      : { ended: RAMP_ENDS.find((end) => ends.includes(end)), seconds },
    connectMs: of('connect'),
    ...(pay !== undefined && { pay: { ...Object(pay), ...paid } }),
  }
}

/** Adds up what are numbers, part by part; of anything else the last that says something. */
function added(name: string, values: readonly unknown[]): unknown {
  const known = values.filter((value) => value !== undefined && value !== null && value !== '')
  if (known.length === 0) return values[0]
  const numbers = known.filter((value) => typeof value === 'number')
  if (numbers.length > 0)
    return LARGEST.has(name) ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0)
  if (typeof known[0] !== 'object' || Array.isArray(known[0])) return known.at(-1)
  const names = new Set(known.flatMap((value) => Object.keys(Object(value))))
  return Object.fromEntries(
    [...names].map((key) => [
      key,
      added(
        key,
        known.map((value) => Object(value)[key]),
      ),
    ]),
  )
}

function bucketsIn(reports: readonly Report[]): Record<string, Buckets>[] {
  return reports.map(({ buckets = {} }) => buckets)
}

function addedBuckets(all: readonly Record<string, Buckets>[]): Map<string, Histogram> {
  const times = new Map<string, Histogram>()
  for (const buckets of all)
    for (const [name, given] of Object.entries<Buckets>(buckets)) {
      const sum = times.get(name) ?? new Histogram()
      sum.add(Histogram.from(given))
      times.set(name, sum)
    }
  return times
}

/** The first of each outcome, from every part. */
function failuresOf(reports: readonly Report[]): Failure[] {
  const all = reports.flatMap(({ failures = [] }) => failures)
  return FAILED_OUTCOMES.flatMap((outcome) =>
    all.filter((failure) => failure.outcome === outcome).slice(0, MOST_NAMED),
  )
}
