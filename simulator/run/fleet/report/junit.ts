import { element, escaped, inSeconds } from '../../../../protocol/text/xml.ts'
import type { Report } from './lines.ts'
import { failuresText } from './text.ts'

/**
 * The report as JUnit XML: a test for each expectation, and one for what every run must keep. Its output names
 * payments that were not heard exactly once. Only elements and attributes that the schema of Jenkins has.
 */
export function junitOf(report: Report): string {
  const { expectations, problems, elapsedS, at } = report
  const judged = expectations.map(({ says }) => says)
  const others = problems.filter((problem) => !judged.includes(problem))
  const tests = [
    ...expectations.map(({ expect, ok, says }) => testCase(expect, ok ? [] : [says])),
    testCase('every payment has its outcome', others),
  ]
  const named = failuresText(report)
  const failures = expectations.filter(({ ok }) => !ok).length + (others.length > 0 ? 1 : 0)
  const counts = { tests: String(tests.length), failures: String(failures), errors: '0' }
  const time = inSeconds(elapsedS * 1000)
  const began = new Date(Date.parse(at) - elapsedS * 1000)
  const timestamp = began.toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)
  const suite = element('testsuite', { name: 'fleet', ...counts, skipped: '0', time, timestamp }, [
    ...tests,
    ...(named.length > 0 ? [element('system-out', {}, [escaped(named.join('\n'))])] : []),
  ])
  const root = element('testsuites', { name: 'fleet', ...counts, time }, [suite])
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function testCase(name: string, problems: readonly string[]): string {
  const attributes = { name, classname: 'fleet' }
  if (problems.length === 0) return element('testcase', attributes, [])
  const text = escaped(problems.join('\n'))
  const failure = element('failure', { message: problems.join('; '), type: 'failed' }, [text])
  return element('testcase', attributes, [failure])
}
