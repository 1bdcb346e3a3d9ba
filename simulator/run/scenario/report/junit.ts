import { basename, dirname } from 'node:path'
import { element, escaped, inSeconds } from '../../../../protocol/text/xml.ts'
import type { FileResult } from './results.ts'

/**
 * The results as JUnit XML, with one suite for each folder. A failed scenario is a `failure`, a file that can't be
 * played an `error`. Only elements and attributes that the schema of Jenkins has.
 */
export function junitOf(results: readonly FileResult[], startedAt: Date): string {
  const folders = [...Map.groupBy(results, ({ file }) => dirname(file))]
  const suites = folders.map(([folder, inside]) =>
    element(
      'testsuite',
      {
        name: folder,
        ...countsOf(inside),
        skipped: String(inside.filter(({ result }) => result === 'skipped').length),
        timestamp: startedAt.toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length),
      },
      inside.map((one) => testCase(one, folder)),
    ),
  )
  const root = element('testsuites', { name: 'scenarios', ...countsOf(results) }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function countsOf(results: readonly FileResult[]): Record<string, string> {
  const count = (...kinds: FileResult['result'][]) =>
    String(results.filter(({ result }) => kinds.includes(result)).length)
  return {
    tests: String(results.length),
    failures: count('failed'),
    errors: count('invalid', 'broken'),
    time: inSeconds(results.reduce((sum, { ms }) => sum + ms, 0)),
  }
}

function testCase({ file, result, ms, reason, details }: FileResult, folder: string): string {
  const name = basename(file).replace(/\.ya?ml$/, '')
  const attributes = { name, classname: folder, time: inSeconds(ms) }
  if (result === 'passed') return element('testcase', attributes, [])
  const text = escaped([...details].join('\n'))
  if (result === 'skipped')
    return element('testcase', attributes, [element('skipped', {}, [escaped(reason)])])
  const tag = result === 'failed' ? 'failure' : 'error'
  return element('testcase', attributes, [element(tag, { message: reason, type: result }, [text])])
}
