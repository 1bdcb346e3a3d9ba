import { Histogram } from '../model/histogram.ts'
import { FAILED_OUTCOMES, MOST_NAMED, PAYMENT_TIMES } from '../model/ledger.ts'
import { bucketsOf, timesOf } from '../report/figures.ts'
import { type Buckets, type Failure, type Reached, type Report, reachedLine } from '../report/lines.ts'
import { judge, type Threshold, withDefaults } from '../report/thresholds.ts'

/** The report of a fleet that was a part of a larger one, and the file that it comes from. */
export interface Part {
  file: string
  report: Report
}

/** Figures of which the whole has the largest of its parts; all others are added up. */
const LARGEST = new Set(['elapsedS', 'awayS', 'seconds', 'highestRssBytes'])
/** How the ramp of the whole ended: as the worst of its parts. */
const RAMP_ENDS = ['stopped', 'stalled', 'complete'] as const

/**
 * One report of several fleets that ran at the same time, with the percentiles of all times. It is judged anew: the
 * thresholds of the parts do not count, but what every run must keep does.
 */
export function mergeReports(parts: readonly Part[], given: readonly Threshold[]): Report {
  const reports = parts.map(({ report }) => report)
  const reached = reachedBy(reports)
  const buckets = addedBuckets(reports)
  const expectations = judge(withDefaults(given, reached.speakers, reached.pay !== undefined), reached)
  const problems = [
    ...expectations.filter(({ ok }) => !ok).map(({ says }) => says),
    ...parts.flatMap(({ file, report }) => othersOf(report).map((problem) => `${file}: ${problem}`)),
  ]
  return {
    event: 'report',
    ok: problems.length === 0,
    ...{ problems, expectations, ...reached, buckets: bucketsOf(buckets) },
    ...(reached.pay && { failures: failuresOf(reports) }),
  }
}

/** The problems of a part that are not failed expectations. */
function othersOf({ problems, expectations }: Report): string[] {
  const judged = new Set(expectations.map(({ says }) => says))
  return problems.filter((problem) => !judged.has(problem))
}

function reachedBy(reports: readonly Report[]): Reached {
  const sum = reachedLine.parse(added('', reports))
  const times = addedBuckets(reports)
  const of = (name: string) => timesOf(times.get(name)?.percentiles())
  const paid = PAYMENT_TIMES.map((name) => [`${name}Ms`, of(name)])
  const ends = reports.map(({ ramp }) => ramp.ended)
  const whole = {
    ...sum,
    ramp: { ...sum.ramp, ended: RAMP_ENDS.find((end) => ends.includes(end)) ?? null },
    at: reports
      .map(({ at }) => at)
      .sort()
      .at(-1),
    connectMs: of('connect'),
    ...(sum.pay && { pay: { ...sum.pay, ...Object.fromEntries(paid) } }),
  }
  return reachedLine.parse(whole)
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

function addedBuckets(reports: readonly Report[]): Map<string, Histogram> {
  const times = new Map<string, Histogram>()
  for (const { buckets = {} } of reports)
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
