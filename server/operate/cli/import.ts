import { formatAmount } from '../../../protocol/money/amount.ts'
import { isoInstant } from '../../platform/clock.ts'
import { when } from '../for-people.ts'
import { done, type Outcome, table } from './output.ts'
import { type Imported, importFolder } from './workspace.ts'

const START = 'Start the hubs on PostgreSQL. Speakers need nothing: they connect again, and numbers go on.'
const PUT_AWAY = 'Never start a hub on the folder again: put it away, as a backup of this moment.'

/** Copies a data folder to PostgreSQL. Large tables are reported on standard error, unless `isQuiet`. */
export async function importFrom(from: string, isQuiet: boolean): Promise<Outcome> {
  const imported = await importFolder(from, ({ step, table, rows }) => {
    if (!isQuiet) process.stderr.write(`${table}: ${step} ${rows} rows\n`)
  })
  return reportOf(from, imported)
}

/** What is in the database, and what of it this run has added. */
export function reportOf(from: string, imported: Imported): Outcome {
  const { state, rows, added, amount } = imported
  const importedAt = imported.importedAt === undefined ? undefined : isoInstant(imported.importedAt)
  const since =
    importedAt === undefined ? 'an earlier run' : `a run that ended on ${when(imported.importedAt)}`
  const payments = `${rows.payments} payments of ${formatAmount(amount)} in all`
  const said = {
    imported: `${from} is in PostgreSQL, and every row was compared: ${payments}.`,
    known: `${from} is in PostgreSQL by ${since}. Every row was compared again, and this run has added none: ${payments}.`,
    used: `${from} is in PostgreSQL by ${since}. Hubs or commands have changed the database since, and this run has changed nothing. It has ${payments} now.`,
  }
  const todo = state === 'used' ? [PUT_AWAY] : [START, PUT_AWAY]
  const counts = Object.entries(rows).map(([name, count]) => [name, String(count), String(added[name] ?? 0)])
  return done(
    { from, state, importedAt, rows, added, amount, todo },
    said[state],
    table(['table', 'rows', 'added by this run'], counts, 'no tables'),
    ...todo,
  )
}
