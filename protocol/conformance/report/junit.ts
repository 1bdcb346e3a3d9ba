import { element, escaped, inSeconds } from '../../text/xml.ts'
import { SPEC_VERSION } from '../../version.ts'
import type { Certificate, ClauseRow } from './certificate.ts'
import { detailsOf, type ReportContext } from './details.ts'
import { tell } from './matrix.ts'
import { type CaseResult, countVerdicts, type Report } from './report.ts'

type JunitContext = ReportContext & { report: Report; certificate: Certificate }

/** The attributes that suites and their root have in common. */
interface Counts {
  tests: number
  failures: number
  errors: number
  skipped: number
  ms: number
}

/**
 * The report as JUnit XML for build servers, with one suite per area and one for the matrix of clauses. A warning passes
 * and has its text as output. Skipped and inconclusive cases count as skipped, and so do open clauses.
 */
export function junitOf(context: JunitContext): string {
  const { report, certificate } = context
  const areas = Map.groupBy(report.results, ({ area }) => area)
  const suites = [...areas].map(([name, results]) => {
    const cases = results.map((result) => testCase(result, context))
    return { name, counts: countsOf(results), children: cases }
  })
  const all = [...suites, matrixSuite(report, certificate)]
  const total = all.reduce((sum, { counts }) => added(sum, counts), countsOf([]))
  const root = element(
    'testsuites',
    { name: 'sb/1 conformance', ...written(total) },
    all.map(({ name, counts, children }) => element('testsuite', { name, ...written(counts) }, children)),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function matrixSuite({ kit, watched }: Report, { result, clauses }: Certificate) {
  const rows = clauses.filter(({ status }) => status !== 'hub')
  const properties = { specification: SPEC_VERSION, kit, result, watched: watched.join(' ') }
  const count = (tag: string) => rows.filter((row) => tagOf(row) === tag).length
  const named = Object.entries(properties).map(([name, value]) => element('property', { name, value }, []))
  return {
    name: 'clauses',
    counts: { tests: rows.length, failures: count('failure'), errors: 0, skipped: count('skipped'), ms: 0 },
    children: [element('properties', {}, named), ...rows.map(clauseCase)],
  }
}

function clauseCase(row: ClauseRow): string {
  const name = `${row.number} ${row.level.toUpperCase()}`
  const tag = tagOf(row)
  const content = tag === undefined ? [] : [element(tag, { message: tell(row) }, [])]
  return element('testcase', { classname: 'clauses', name, time: inSeconds(0) }, content)
}

function tagOf({ status }: ClauseRow): 'failure' | 'skipped' | undefined {
  if (status === 'failed') return 'failure'
  return status === 'checked' || status === 'declared' || status === 'warned' ? undefined : 'skipped'
}

function countsOf(results: readonly CaseResult[]): Counts {
  const { fail, error, skip, inconclusive } = countVerdicts(results)
  const ms = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return { tests: results.length, failures: fail, errors: error, skipped: skip + inconclusive, ms }
}

function added(a: Counts, b: Counts): Counts {
  return {
    tests: a.tests + b.tests,
    failures: a.failures + b.failures,
    errors: a.errors + b.errors,
    skipped: a.skipped + b.skipped,
    ms: a.ms + b.ms,
  }
}

function written({ ms, ...counts }: Counts): Record<string, string> {
  const numbers = Object.entries(counts).map(([name, count]) => [name, String(count)])
  return { ...Object.fromEntries(numbers), time: inSeconds(ms) }
}

function testCase(result: CaseResult, context: ReportContext): string {
  const { area, id, title, verdict, note = '', durationMs, clauses } = result
  const attributes = {
    classname: area,
    name: `${id}: ${title} (${clauses.join(', ')})`,
    time: inSeconds(durationMs),
  }
  const details = () => escaped(detailsOf(result, context).join('\n'))
  const message = result.findings[0]?.expected ?? note
  switch (verdict) {
    case 'pass':
      return element('testcase', attributes, note === '' ? [] : [element('system-out', {}, [escaped(note)])])
    case 'warn':
      return element('testcase', attributes, [element('system-out', {}, [details()])])
    case 'fail':
      return element('testcase', attributes, [element('failure', { message }, [details()])])
    case 'error':
      return element('testcase', attributes, [element('error', { message }, [])])
    case 'skip':
    case 'inconclusive':
      return element('testcase', attributes, [element('skipped', { message }, [])])
  }
}
