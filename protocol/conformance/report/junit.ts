import { detailsOf, type ReportContext } from './details.ts'
import { type CaseResult, countVerdicts, type Report } from './report.ts'

/**
 * The report as JUnit XML for build servers, with one suite per area. A warning passes and has its text as output.
 * Skipped and inconclusive cases count as skipped.
 */
export function junitOf(context: ReportContext & { report: Report }): string {
  const { report } = context
  const areas = Map.groupBy(report.results, ({ area }) => area)
  const suites = [...areas].map(([area, results]) =>
    element(
      'testsuite',
      { name: area, ...totals(results) },
      results.map((result) => testCase(result, context)),
    ),
  )
  const root = element('testsuites', { name: 'sb/1 conformance', ...totals(report.results) }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function totals(results: readonly CaseResult[]): Record<string, string> {
  const { fail, error, skip, inconclusive } = countVerdicts(results)
  const ms = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return {
    tests: String(results.length),
    failures: String(fail),
    errors: String(error),
    skipped: String(skip + inconclusive),
    time: inSeconds(ms),
  }
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

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function element(name: string, attributes: Record<string, string>, children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const open = `<${name}${written.join('')}`
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('\n')}</${name}>`
}

/** XML 1.0 forbids most control characters, even escaped, so they become dots. */
function escaped(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '.')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
