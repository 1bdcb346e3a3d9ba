import { SPEC_VERSION } from '../../version.ts'
import { timings } from '../case/duration.ts'
import type { Gap, Level } from '../case/evidence.ts'
import { binding, type Certificate, type ClauseRow, type ClauseStatus, unfinished } from './certificate.ts'
import type { Meaning, Paint } from './paint.ts'
import type { Report } from './report.ts'
import { wrap } from './wrap.ts'

const WATCHED: Record<Level, string> = {
  wire: 'on the wire',
  power: 'with power cuts',
  senses: 'by eyes and ears',
}

const PERSON = 'or run with a person at the terminal'

/** What it takes to close a gap. */
export const GAP_WORDS: Record<Gap, string> = {
  power: `nobody cut its power: pass --power-cycle COMMAND, ${PERSON}`,
  goodbye: `nobody made it end its session cleanly: pass --goodbye COMMAND, ${PERSON}`,
  senses: `nobody listened and looked: pass --answers COMMAND, ${PERSON}`,
  device: 'a case could not be decided on this device: see its reason under Skipped',
  slow: 'slow cases were left out: pass --slow',
  only: 'not all cases were selected: run without --only',
  session: 'cases were not run: the device was gone',
}

const MARKS: Record<ClauseStatus, [mark: string, meaning: Meaning]> = {
  checked: ['✔', 'pass'],
  failed: ['✘', 'fail'],
  warned: ['▲', 'warn'],
  open: ['?', 'inconclusive'],
  declared: ['•', 'pass'],
  undeclared: ['?', 'inconclusive'],
  inapplicable: ['○', 'skip'],
  hub: ['○', 'skip'],
}

/** One line for each clause that binds a device, and one for the others. */
export function matrixLines({ clauses }: Certificate, paint: Paint): string[] {
  const rows = clauses.filter(({ status }) => status !== 'hub')
  const others = clauses.filter(({ status }) => status === 'hub').map(({ number }) => number)
  return [
    '',
    paint('heading', `Clauses of sb/1 ${SPEC_VERSION}`),
    ...rows.flatMap((row) => {
      const [mark, meaning] = MARKS[row.status]
      const [first = '', ...more] = wrap(
        `    ${row.number.padEnd(6)}${row.level.toUpperCase().padEnd(8)}`,
        tell(row),
      )
      return [`  ${paint(meaning, mark)}${first.slice(3)}`, ...more]
    }),
    ...wrap('    hub   ', others.join(' ')).map((line) => paint('quiet', line)),
  ]
}

/** The status of a clause in words. */
export function tell({ status, watched, gaps, why = '' }: ClauseRow): string {
  const sofar = watched.length > 0 ? `checked ${listed(watched)}` : 'not checked'
  switch (status) {
    case 'checked':
      return why === '' ? sofar : `${sofar}, in part: ${why}`
    case 'warned':
      return `${sofar}, and not followed`
    case 'failed':
      return `failed: ${why}`
    case 'open':
      return `${sofar}${watched.length > 0 ? '; open' : ''}: ${why || gaps.map((gap) => GAP_WORDS[gap]).join('; ')}`
    case 'declared':
      return `declared by the maker: ${why}`
    case 'undeclared':
      return `not declared by the maker; no kit can check it: ${why}`
    case 'inapplicable':
      return `does not apply: ${why}`
    case 'hub':
      return 'binds the hub'
  }
}

/** The last lines of a report: what the run is worth, and what it takes to be worth more. */
export function verdictLines(report: Report, certificate: Certificate, paint: Paint): string[] {
  const { result, clauses } = certificate
  const open = unfinished(clauses)
  switch (result) {
    case 'certified':
      return [
        paint('pass', `Certified for sb/1 ${SPEC_VERSION} by version ${report.kit} of the kit`),
        ...certifiedLines(report, clauses),
        ...timingLines(report),
      ]
    case 'passed':
      return [
        ...wrap(
          '',
          `Passed ${listed(report.watched)}. This is not a certificate${counted(open, clauses)}.`,
        ).map((line) => paint('warn', line)),
        ...openLines(open),
        ...hiddenLines(certificate),
        ...timingLines(report),
        '  --matrix and report.txt show every clause.',
      ]
    case 'failed': {
      const failed = numbers(open.filter(({ status }) => status === 'failed'))
      return wrap('', `Failed. Clauses of the failed cases: ${failed}`).map((line) => paint('fail', line))
    }
    case 'undecided':
      return [paint('error', 'Undecided: the device was not there for all cases.')]
  }
}

function counted(open: readonly ClauseRow[], clauses: readonly ClauseRow[]): string {
  if (open.length === 0) return ''
  const all = binding(clauses).length
  return `: ${open.length} of the ${all} MUST clauses that apply are not checked, or only in part`
}

function certifiedLines({ serial, device, profile }: Report, clauses: readonly ClauseRow[]): string[] {
  const all = binding(clauses)
  const checked = all.filter(({ status }) => status === 'checked')
  const counts = (['wire', 'power', 'senses'] as const).map(
    (level) => `${checked.filter(({ watched }) => watched.at(-1) === level).length} ${WATCHED[level]}`,
  )
  const caps = [...(profile.caps ?? device?.caps ?? []), ...(profile.lang ?? device?.lang ?? [])]
  const declared = clauses.filter(({ status }) => status === 'declared')
  const warned = clauses.filter(({ status }) => status === 'warned')
  const name = [serial, device?.model && `model ${device.model}`, device?.fw && `firmware ${device.fw}`]
  return [
    ...wrap('  Device    ', name.filter(Boolean).join(', ')),
    ...wrap('  With      ', caps.join(' ')),
    ...wrap('  Checked   ', `${checked.length} MUST clauses: ${counts.join(', ')}`),
    ...byReason('In part', checked),
    ...byReason('Declared', declared),
    ...(warned.length > 0
      ? wrap('  Warned    ', `SHOULD clauses that it does not follow: ${numbers(warned)}`)
      : []),
  ]
}

/** The reasons of clauses, each with the clauses that share it. */
function byReason(heading: string, rows: readonly ClauseRow[]): string[] {
  const reasons = Map.groupBy(rows, ({ why }) => why)
  return [...reasons].flatMap(([why, some]) =>
    why === undefined ? [] : wrap(`  ${heading.padEnd(10)}`, `${numbers(some)}: ${why}`),
  )
}

function openLines(open: readonly ClauseRow[]): string[] {
  const gaps = (Object.keys(GAP_WORDS) as Gap[]).map((gap): [string, ClauseRow[]] => [
    GAP_WORDS[gap],
    open.filter((row) => row.gaps.includes(gap)),
  ])
  const reasons = Map.groupBy(
    open.filter(({ status, why }) => status === 'open' && why),
    ({ why = '' }) => why,
  )
  const undeclared = open.filter(({ status }) => status === 'undeclared')
  const groups: [string, ClauseRow[]][] = [
    ...gaps,
    ...reasons,
    ['no kit can check them: declare in the profile how the device obeys them', undeclared],
  ]
  return groups
    .filter(([, rows]) => rows.length > 0)
    .flatMap(([words, rows]) => [
      ...wrap('  ', words),
      // A selection leaves most clauses open: their numbers would say nothing.
      ...(words === GAP_WORDS.only ? [] : wrap('    ', numbers(rows))),
    ])
}

function hiddenLines({ hidden }: Certificate): string[] {
  if (hidden.length === 0) return []
  return wrap(
    '  ',
    `the profile leaves out or lowers what the device has, and a hub goes by what it has: ${hidden.join(' ')}`,
  )
}

/** Timings that make the kit more patient than it is with other devices. */
function timingLines({ profile }: Report): string[] {
  const usual = timings.parse({})
  const changed = Object.entries(profile.timings).filter(
    ([name, ms]) => Object.entries(usual).find(([other]) => other === name)?.[1] !== ms,
  )
  if (changed.length === 0) return []
  return wrap('  Timings   ', `of its profile: ${changed.map(([name, ms]) => `${name} ${ms}`).join(', ')}`)
}

function numbers(rows: readonly ClauseRow[]): string {
  return rows.map(({ number }) => number).join(' ')
}

function listed(levels: readonly Level[]): string {
  return levels
    .map((level) => WATCHED[level])
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')
}
