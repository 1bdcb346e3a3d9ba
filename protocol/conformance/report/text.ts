import { SPEC_VERSION } from '../../version.ts'
import type { Certificate } from './certificate.ts'
import { detailsOf, type ReportContext } from './details.ts'
import { matrixLines, verdictLines } from './matrix.ts'
import { MARKS, type Paint } from './paint.ts'
import { type CaseResult, countVerdicts, type DeviceInfo, type Report, type Verdict } from './report.ts'
import { WIDTH, wrap } from './wrap.ts'

/** Columns for the title. The clauses follow it. */
const TITLE_WIDTH = 64

const WORDS: Record<Verdict, string> = {
  pass: 'passed',
  fail: 'failed',
  warn: 'warned',
  skip: 'skipped',
  inconclusive: 'inconclusive',
  error: 'not run',
}

/** The heading under which a case is listed. */
export function headingOf({ area, always }: Pick<CaseResult, 'area' | 'always'>): string {
  return always ? 'every packet of the run' : area
}

/** One case on one line. */
export function caseLine({ verdict, title, clauses }: CaseResult, paint: Paint): string {
  const mark = paint(verdict, MARKS[verdict])
  const text = verdict === 'skip' ? paint('quiet', title.padEnd(TITLE_WIDTH)) : title.padEnd(TITLE_WIDTH)
  return `  ${mark} ${text} ${paint('quiet', clauses.join(' '))}`
}

/** The versions of the specification and of the kit: how every report starts. */
export function versionsOf(kit: string): string {
  return `sb/1 ${SPEC_VERSION} conformance, kit ${kit}`
}

/** Describes the device by its birth. */
export function deviceLines(device: DeviceInfo): string[] {
  const { model, fw, caps, lang, rx } = device
  const parts = [
    model === '' ? 'a device without a model' : `model ${model}`,
    fw === '' ? 'no firmware version' : `firmware ${fw}`,
    caps.length > 0 ? caps.join(' ') : 'no caps in its birth: list them in a profile',
    lang.length > 0 ? lang.join(' ') : 'no languages in its birth',
    `buffer of ${rx} bytes`,
  ]
  return wrap('', parts.join(' · '))
}

/** What the end of a report needs. */
export interface ClosingContext extends ReportContext {
  report: Report
  certificate: Certificate
  /** Whether to list every clause. */
  matrix: boolean
}

/** The end of the report: details of the cases that did not pass, the counts, and what the run is worth. */
export function closingLines(context: ClosingContext): string[] {
  const { report, certificate, matrix, paint } = context
  const once = { ...context, printed: new Set<number>() }
  const of = (...verdicts: Verdict[]) => report.results.filter(({ verdict }) => verdicts.includes(verdict))
  return [
    ...of('warn', 'fail').flatMap((result) => ['', rule(paint), ...detailsOf(result, once)]),
    ...notes('Not run', of('error'), paint),
    ...notes('Inconclusive', of('inconclusive'), paint),
    ...notes('Skipped', of('skip'), paint),
    ...notes(
      'Passed, but',
      of('pass').filter(({ note }) => note !== undefined),
      paint,
    ),
    ...failedLines(of('fail'), paint),
    ...(report.leftOut.length > 0
      ? ['', ...wrap('', `Slow cases, not run without --slow: ${report.leftOut.join(', ')}`)]
      : []),
    ...(matrix ? matrixLines(certificate, paint) : []),
    '',
    ...countLine(report, paint),
    ...verdictLines(report, certificate, paint),
  ]
}

/** Lists the failed cases again after the details, where the reader looks last. */
function failedLines(failed: readonly CaseResult[], paint: Paint): string[] {
  const [first] = failed
  if (!first) return []
  return [
    '',
    paint('heading', 'Failed'),
    ...failed.map(({ id }) => paint('fail', `  ${id}`)),
    ...wrap('  ', `To run one again, add --only ${first.id} to the same command.`),
  ]
}

function rule(paint: Paint): string {
  return paint('quiet', '─'.repeat(WIDTH))
}

/** Lists the cases of one verdict, grouped by their note. */
function notes(heading: string, results: readonly CaseResult[], paint: Paint): string[] {
  if (results.length === 0) return []
  const byNote = Map.groupBy(results, ({ note }) => note ?? '')
  return [
    '',
    paint('heading', heading),
    ...[...byNote].flatMap(([note, some]) => [
      ...wrap('  ', note),
      ...wrap('    ', some.map(({ id }) => id).join(', ')).map((line) => paint('quiet', line)),
    ]),
  ]
}

function countLine({ results, durationMs }: Report, paint: Paint): string[] {
  const counts = countVerdicts(results)
  const verdicts: readonly Verdict[] = ['pass', 'fail', 'warn', 'inconclusive', 'skip', 'error']
  const shown = verdicts.filter((verdict) => counts[verdict] > 0 || verdict === 'pass' || verdict === 'fail')
  const parts = shown.map((verdict) =>
    paint(counts[verdict] > 0 ? verdict : 'quiet', `${counts[verdict]} ${WORDS[verdict]}`),
  )
  return [`${parts.join(' · ')} ${paint('quiet', `in ${Math.round(durationMs / 1000)} s`)}`]
}
