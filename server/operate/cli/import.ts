import { done, fields, type Outcome } from './output.ts'
import { importFolder } from './workspace.ts'

const AFTERWARDS = [
  'Start the hubs on PostgreSQL. Speakers need nothing: they connect again, and numbers go on.',
  'Never start a hub on the folder again: put it away, as a backup of this moment.',
]

/** Copies a data folder to PostgreSQL. Large tables are reported on standard error, unless `isQuiet`. */
export async function importFrom(from: string, isQuiet: boolean): Promise<Outcome> {
  const { rows, amount } = await importFolder(from, ({ step, table, rows }) => {
    if (!isQuiet) process.stderr.write(`${table}: ${step} ${rows} rows\n`)
  })
  const moved = Object.entries(rows).map(([name, count]) => [name, String(count)])
  return done(
    { from, rows, amount, todo: AFTERWARDS },
    `${from} is in PostgreSQL, and every row was compared: ${rows.payments} payments of ${amount} đồng in all.`,
    fields(Object.fromEntries(moved)),
    ...AFTERWARDS,
  )
}
