import { readFileSync } from 'node:fs'
import { fileTrouble } from '../../../platform/error-text.ts'
import { WrongUsage } from '../../../platform/errors.ts'
import type { Host } from '../../../platform/host.ts'
import { parseJson } from '../../../platform/json.ts'
import { reserveFile } from '../../../platform/reserve-file.ts'
import { canDraw } from '../../../screen/terminal.ts'
import { junitOf } from '../report/junit.ts'
import { reportLine } from '../report/lines.ts'
import { reportText } from '../report/text.ts'
import type { Threshold } from '../report/thresholds.ts'
import { mergeReports, type Part } from './merge.ts'

/** Reports to merge, as the command line names them. */
export interface MergeOptions {
  /** Files of `--report`, or what fleets with `--headless` have printed. */
  files: readonly string[]
  thresholds: readonly Threshold[]
  headless: boolean
  reportFile: string | undefined
  junitFile: string | undefined
}

/** Prints and writes the merged report. Returns the exit code. Throws `WrongUsage` when a file is no report. */
export function runMerge(options: MergeOptions, { stdout, env }: Host): 0 | 1 {
  const { files, thresholds, headless, reportFile, junitFile } = options
  const report = mergeReports(files.map(readPart), thresholds)
  const line = `${JSON.stringify(report)}\n`
  stdout.write(!headless && canDraw(stdout, env.TERM) ? reportText(report) : line)
  if (reportFile !== undefined) reserveFile('--report', reportFile)(line)
  if (junitFile !== undefined) reserveFile('--junit', junitFile)(junitOf(report))
  return report.ok ? 0 : 1
}

function readPart(file: string): Part {
  const last = textOf(file).trimEnd().split('\n').at(-1) ?? ''
  const parsed = reportLine.safeParse(parseJson(last))
  if (!parsed.success) throw new WrongUsage(`${file} is no report of a fleet: its last line is no report.`)
  if (!parsed.data.buckets)
    throw new WrongUsage(`${file} has no buckets: a fleet of an older release has written it.`)
  return { file, report: parsed.data }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new WrongUsage(`${file} can't be read: ${fileTrouble(error)}`)
  }
}
