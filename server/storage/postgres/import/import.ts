import type Database from 'better-sqlite3'
import { systemClock } from '../../../platform/clock.ts'
import { OperatorError } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Change } from '../../acts/audit-trail.ts'
import { isSealedUnder } from '../../sqlite/engine/canary.ts'
import { refuseUnmigrated } from '../../sqlite/engine/database.ts'
import { noteChangeIn } from '../engine/audit-trail.ts'
import { openDatabaseToImport, type PostgresDatabase, type Tx } from '../engine/database.ts'
import { LOCK_SCHEMA } from '../schema/migrate.ts'
import { UNFINISHED_IMPORT } from '../schema/unfinished-import.ts'
import { type Copied, countSame, highestKey, insertRows, type Row, sqlitePages, withColumns } from './rows.ts'
import { IMPORTED } from './tables.ts'

export interface ImportOptions {
  /** The operator's name for the folder. */
  from: string
  vault: Vault
  by: Actor
  /** Called after every `ROWS_A_REPORT` rows of a table. */
  progress: (done: Progress) => void
}

/** How far the import has come in one table, in this process. */
export interface Progress {
  step: 'copied' | 'compared'
  table: string
  rows: number
}

export interface Imported {
  /** Rows by table. */
  rows: Record<string, number>
  /** The sum of all payments, đồng. */
  amount: string
}

/** By rows and not by time: a small import reports nothing, however slow the machine is. */
const ROWS_A_REPORT = 50_000

/**
 * Copies the database of a data folder to PostgreSQL. `sqlite` reads the folder, on which no hub can run.
 *  1. put the folder's canary, which no other folder has, and the table of an unfinished import: no hub starts there,
 *  2. copy table by table, in pages by rising key, each in a commit,
 *  3. read the folder again, and compare each row with that of PostgreSQL,
 *  4. in one commit raise the sequences, note the import in the audit, and drop the table of step 1.
 * The process may die at any point: the next import of the same folder goes on behind the highest key of each table.
 * Held by test/whole/server/operate/import.test.ts.
 */
export async function importFolder(
  url: string,
  sqlite: Database.Database,
  { from, vault, by, progress }: ImportOptions,
): Promise<Imported> {
  // One snapshot of the folder: a command may still write to it.
  sqlite.exec('BEGIN')
  refuseUnmigrated(sqlite, from)
  if (isSealedUnder(sqlite, vault) !== true)
    throw new OperatorError(
      `The folder ${from} is sealed under another master key than HUB_MASTER_KEY: set that to the key of the folder (its master.key).`,
    )
  const database = await openDatabaseToImport(url, vault)
  try {
    await begin(database, sqlite, from)
    const tables: Copied[] = []
    for (const table of IMPORTED) tables.push(await withColumns(database.read, table))
    for (const table of tables) {
      const count = counter('copied', table, progress)
      for (const page of sqlitePages(sqlite, table, await highestKey(database.read, table))) {
        await database.write((tx) => insertRows(tx, table, page))
        count(page)
      }
    }
    const rows: Record<string, number> = {}
    for (const table of tables) rows[table.name] = await compare(database, sqlite, table, progress)
    // On both sides: all rows are the same.
    const sum = sqlite
      .prepare<[], string>('SELECT cast(coalesce(sum(amount), 0) AS text) FROM payments')
      .pluck()
    const details = { payments: rows.payments, devices: rows.devices }
    await end(database, tables, { by, subject: from, details })
    return { rows, amount: sum.get() ?? '0' }
  } finally {
    await database.close()
  }
}

async function begin(database: PostgresDatabase, sqlite: Database.Database, from: string) {
  const canary = sqlite.prepare<[], Buffer>('SELECT sealed FROM vault_canary').pluck().get()
  await database.write(async (tx) => {
    await tx.query('import.lock', LOCK_SCHEMA)
    await refuseHubs(tx)
    const [state] = await tx.query<{ isUnfinished: boolean; isSame: boolean }>(
      'import.state',
      `SELECT to_regclass('${UNFINISHED_IMPORT}') IS NOT NULL AS "isUnfinished",
         EXISTS (SELECT FROM vault_canary WHERE sealed = $1) AS "isSame"`,
      [canary],
    )
    if (state?.isUnfinished && state.isSame) return
    if (state?.isUnfinished)
      throw new OperatorError(
        'The database has the unfinished import of another folder: name that folder, or another database.',
      )
    await refuseRows(tx, from)
    await tx.query('import.canary', 'UPDATE vault_canary SET sealed = $1', [canary])
    await tx.query('import.begin', `CREATE TABLE ${UNFINISHED_IMPORT} (begun_at bigint NOT NULL)`)
  })
}

async function refuseHubs({ query }: Tx) {
  const [hub] = await query<{ host: string; pid: number }>(
    'import.hubs',
    'SELECT host, pid FROM live_hubs LIMIT 1',
  )
  if (hub)
    throw new OperatorError(
      `A hub runs on the PostgreSQL database (${hub.host} process ${hub.pid}): stop all hubs, and import again.`,
    )
}

async function refuseRows({ query }: Tx, from: string) {
  for (const { name } of IMPORTED) {
    const [row] = await query(`import.any.${name}`, `SELECT 1 FROM ${name} LIMIT 1`)
    if (row)
      throw new OperatorError(
        `The PostgreSQL database has rows already (${name}), and ${from} was not imported: name an empty database in HUB_DATABASE_URL.`,
      )
  }
}

/** Counts the rows of a table. Throws when they differ. */
async function compare(
  { read }: PostgresDatabase,
  sqlite: Database.Database,
  table: Copied,
  progress: ImportOptions['progress'],
): Promise<number> {
  const count = counter('compared', table, progress)
  let [expected, same] = [0, 0]
  for (const page of sqlitePages(sqlite, table)) {
    expected += page.length
    same += await countSame(read, table, page)
    count(page)
  }
  const [found] = await read<{ rows: number }>(
    `import.count.${table.name}`,
    `SELECT count(*) AS rows FROM ${table.name}`,
  )
  if (same === expected && found?.rows === expected) return expected
  throw new OperatorError(
    `The table ${table.name} differs (${expected} rows in the folder, ${found?.rows} in PostgreSQL): something has written to the folder or the database since the import began. Make the database anew, and import again.`,
  )
}

function counter(step: Progress['step'], { name }: Copied, progress: ImportOptions['progress']) {
  let rows = 0
  return (page: readonly Row[]) => {
    const before = Math.floor(rows / ROWS_A_REPORT)
    rows += page.length
    if (Math.floor(rows / ROWS_A_REPORT) > before) progress({ step, table: name, rows })
  }
}

async function end(
  { write }: PostgresDatabase,
  tables: readonly Copied[],
  change: Pick<Change, 'by' | 'subject' | 'details'>,
) {
  await write(async (tx) => {
    await refuseHubs(tx)
    for (const { name, columns } of tables) {
      const identity = columns.find(({ isIdentity }) => isIdentity)?.name
      if (identity !== undefined)
        await tx.query(
          `import.sequence.${name}`,
          `SELECT setval(pg_get_serial_sequence('${name}', '${identity}'), coalesce(max(${identity}), 0) + 1, false)
           FROM ${name}`,
        )
    }
    await tx.query(
      'import.seqs',
      `UPDATE event_sequence SET last = greatest(
         last, (SELECT max(seq) FROM events), (SELECT max(seq) FROM deleted_events)
       )`,
    )
    await noteChangeIn(tx, { ...change, at: systemClock.now(), action: 'database.import' })
    await tx.query('import.end', `DROP TABLE ${UNFINISHED_IMPORT}`)
  })
}
