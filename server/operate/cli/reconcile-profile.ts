import { formatAmount } from '../../../protocol/money/amount.ts'
import { isoInstant } from '../../platform/clock.ts'
import { ERRORS } from '../../platform/errors.ts'
import { CAMT, readProfile } from '../../reconciliation/formats/profile.ts'
import type { Line } from '../../reconciliation/model/statement.ts'
import { when } from '../for-people.ts'
import { cut, done, type Outcome, refused, table } from './output.ts'
import { balance, type Reconciling, readBytes, tried, verbsOf } from './reconcile.ts'

export interface ProfileOptions {
  from?: string
  sample?: string
  save?: boolean
}

/** Lists profiles, shows one, or reads a sample by a new one, which `save` stores. */
export function reconcileProfile(
  workspace: Reconciling,
  name: string | undefined,
  { from, sample, save = false }: ProfileOptions,
): Promise<Outcome> {
  const verbs = verbsOf(workspace)
  return tried(async () => {
    if (name === undefined || from === undefined || sample === undefined) {
      const saved = await verbs.listProfiles()
      const shown = name === undefined ? saved : saved.filter((one) => one.name === name)
      if (name !== undefined && shown.length === 0) return refused({ name }, `There is no profile ${name}.`)
      const json = shown.map(({ updatedAt, ...one }) => ({ ...one, updatedAt: isoInstant(updatedAt) }))
      const rows = shown.map((one) => [one.name, when(one.updatedAt), JSON.stringify(one.profile)])
      return done(json, table(['NAME', 'SAVED', 'PROFILE'], rows, `No profile yet; ${CAMT} needs none.`))
    }
    const read = readProfile(readBytes(from).toString('utf8'))
    if ('issues' in read)
      return refused({ name, issues: read.issues }, `${from} is no profile:`, ...read.issues)
    const { rows, whole } = await verbs.previewProfile(read.profile, readBytes(sample))
    const shown = rows.map((row) => ('line' in row ? previewed(row.line) : row))
    const cells = rows.map((row) => ('line' in row ? previewCells(row.line) : unreadCells(row)))
    const preview = table(
      ['N', 'DATE', 'TIME', 'DIRECTION', 'AMOUNT', 'REFERENCE', 'TEXT'],
      cells,
      'No rows.',
    )
    if (!('head' in whole)) {
      const [code, message] = ERRORS.STATEMENT_UNREADABLE
      const field = whole.line > 0 ? `line ${whole.line}` : 'file'
      const details = [{ field, issue: whole.reason }]
      return refused(
        { code, error: 'STATEMENT_UNREADABLE', message, details, name, saved: false, rows: shown },
        ...[preview, `${message}\n  ${field}: ${whole.reason}`, 'Nothing is saved.'],
      )
    }
    const { head } = whole
    if (save) await verbs.saveProfile(workspace.by, name, read.profile)
    return done(
      { name, saved: save, ...head, rows: shown },
      preview,
      `${head.rowCount} rows from ${head.from} to ${head.to}; opening ${balance(head.opening)}, closing ${balance(head.closing)}.`,
      save ? `Profile ${name} is saved.` : 'Nothing is saved: add --save when the rows are right.',
    )
  })
}

const previewed = (line: Line) => ({ ...line, at: line.at === undefined ? null : isoInstant(line.at) })

const previewCells = (line: Line) => [
  ...[String(line.n), line.date, line.at === undefined ? '-' : when(line.at), line.direction],
  ...[formatAmount(line.amount), line.references.join(' '), cut(line.text, 40)],
]

const unreadCells = ({ fileLine, reason: why }: { fileLine: number; reason: string }) => [
  ...['-', '-', '-', '-', '-', '-', `line ${fileLine}: ${why}`],
]
