import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../case/usage-error.ts'
import { type JsonContext, jsonOf, transcriptOf } from './json.ts'
import { junitOf } from './junit.ts'
import { plainPaint } from './paint.ts'
import type { Report } from './report.ts'
import { caseLine, closingLines, deviceLines, headingOf, versionsOf } from './text.ts'

/** Creates the report folder before the run. Throws a `UsageError` if that fails. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'transcript.ndjson'), '')
  } catch (error) {
    throw new UsageError(`--out: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Writes report.json, report.xml (JUnit), report.txt and transcript.ndjson. */
export function writeFiles(folder: string, report: Report, given: JsonContext): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const context = { ...given, report, matrix: true, paint: plainPaint }
  write('report.json', `${JSON.stringify(jsonOf(report, given), undefined, 2)}\n`)
  write('report.xml', junitOf(context))
  write('report.txt', `${wholeText(context).join('\n')}\n`)
  write('transcript.ndjson', transcriptOf(report))
}

function wholeText(context: Parameters<typeof closingLines>[0]): string[] {
  const { report, paint } = context
  const areas = Map.groupBy(report.results, headingOf)
  return [
    `${versionsOf(report.kit)}: ${report.serial}, ${new Date(report.startedAtMs).toISOString()}`,
    ...(report.device ? deviceLines(report.device) : ['the device sent no birth']),
    ...[...areas].flatMap(([area, some]) => ['', area, ...some.map((one) => caseLine(one, paint))]),
    ...closingLines(context),
  ]
}
