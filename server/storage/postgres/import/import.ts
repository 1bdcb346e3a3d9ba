import type Database from 'better-sqlite3'
import { isoInstant, systemClock } from '../../../platform/clock.ts'
import { isUnavailable, OperatorError, reason } from '../../../platform/errors.ts'
import type { Actor } from '../../../security/actor.ts'
import type { Vault } from '../../../security/vault.ts'
import type { Change } from '../../acts/audit-trail.ts'
import { isSealedUnder } from '../../sqlite/engine/canary.ts'
import { refuseUnmigrated } from '../../sqlite/engine/database.ts'
import { noteChangeIn } from '../engine/audit-trail.ts'
import { openDatabaseToImport, type PostgresDatabase, type Tx } from '../engine/database.ts'
import { LOCK_SCHEMA } from '../schema/migrate.ts'
import { UNFINISHED_IMPORT } from '../schema/unfinished-import.ts'
import { type Compared, compare } from './compare.ts'
import { counter, type Progress } from './progress.ts'
import { type Copied, highestKey, insertRows, sqlitePages, withColumns } from './rows.ts'
import { IMPORTED } from './tables.ts'

export interface ImportOptions {
  /** The operator's name for the folder. */
  from: string
  vault: Vault
  by: Actor
  /** Called after every `ROWS_A_REPORT` rows of a table. */
  progress: (done: Progress) => void
}

/**
 * What is in the database at the end of a run.
 * - `imported`: this run has ended the import.
 * - `known`: an earlier run has, and all rows are still those of the folder.
 * - `used`: an earlier run has, and the database has changed since. The folder has not.
 */
export interface Imported {
  state: 'imported' | 'known' | 'used'
  /** The end of the import, in milliseconds. Undefined when the audit has forgotten that of an earlier run. */
  importedAt: number | undefined
  /** The rows in PostgreSQL by table. */
  rows: Record<string, number>
  /** The rows by table that this run has added. Earlier runs may have added others. */
  added: Record<string, number>
  /** The sum of all payments in PostgreSQL, đồng. */
  amount: string
}

/** The end of an import, as its audit row tells it. */
interface Ended {
  at?: number
  subject?: string
  /** See `Compared`. */
  digest?: string | null
}

/**
 * Copies the database of a data folder to PostgreSQL. `sqlite` reads the folder, on which no hub can run.
 *  1. put the folder's canary, which no other folder has, and the table of an unfinished import: no hub starts there,
 *  2. copy table by table, in pages by rising key, each in a commit,
 *  3. read the folder again, and compare each row with that of PostgreSQL,
 *  4. in one commit raise the sequences, note the import in the audit, and drop the table of step 1.
 * The process may die at any point: the next import of the same folder goes on behind the highest key of each table. After
 * step 4 it only compares: it changes nothing in a database that hubs may use.
 * Held by test/whole/server/operate/import.test.ts and import-killed.test.ts.
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
    const earlier = await begin(database, sqlite, from)
    const tables: Copied[] = []
    for (const table of IMPORTED) tables.push(await withColumns(database.read, table))
    const added: Record<string, number> = {}
    for (const table of tables)
      added[table.name] = earlier ? 0 : await copy(database, sqlite, table, progress)

    const compared = await compare(database.read, sqlite, tables, progress)
    if (earlier) return { ...stateOf(earlier, compared, from), ...(await inDatabase(compared, added)) }
    refuseDifference(compared)
    const { rows, digest } = compared
    const details = { payments: rows.payments, devices: rows.devices, digest }
    const importedAt = systemClock.now()
    await end(database, tables, { by, at: importedAt, subject: from, details })
    return { state: 'imported', importedAt, ...(await inDatabase(compared, added)) }
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const why = Object(error).cause === undefined ? '' : ` (${reason(Object(error).cause)})`
    throw new OperatorError(
      `PostgreSQL answers no more${why}: run hub import again, which goes on from there, and says what is in the database.`,
    )
  } finally {
    await database.close()
  }

  async function inDatabase({ rows }: Compared, added: Record<string, number>) {
    const [sum] = await database.read<{ amount: string }>(
      'import.amount',
      'SELECT coalesce(sum(amount), 0)::text AS amount FROM payments',
    )
    return { rows, added, amount: sum?.amount ?? '0' }
  }
}

/** Copies what PostgreSQL does not have yet. Returns the number of rows. */
async function copy(
  database: PostgresDatabase,
  sqlite: Database.Database,
  table: Copied,
  progress: ImportOptions['progress'],
): Promise<number> {
  const count = counter('copied', table.name, progress)
  let rows = 0
  for (const page of sqlitePages(sqlite, table, await highestKey(database.read, table))) {
    await database.write((tx) => insertRows(tx, table, page))
    rows += page.length
    count(page.length)
  }
  return rows
}

/** What is left of an import that an earlier run has ended. Throws when the folder may have changed since. */
function stateOf(
  { at, digest }: Ended,
  { difference, ...compared }: Compared,
  from: string,
): Pick<Imported, 'state' | 'importedAt'> {
  if (!difference) return { state: 'known', importedAt: at }
  if (digest === compared.digest) return { state: 'used', importedAt: at }
  // The release before has noted no digest.
  const since = digest ? 'something has written to it since' : 'the two differ now'
  throw new OperatorError(
    `The folder ${from} was imported${on(at)}, and ${since}: the ${difference}. This run has changed nothing, because hubs may have used the database: go on with that, without what is new in the folder, or make a new one, and import again.`,
  )
}

function refuseDifference({ difference }: Compared) {
  if (difference)
    throw new OperatorError(
      `The ${difference}: something has written to the folder or the database since the import began. Make the database anew, and import again.`,
    )
}

const on = (at?: number) => (at === undefined ? ' earlier' : ` on ${isoInstant(at)}`)

/** Resolves with the end of the import of this folder, when an earlier run has reached it. Then nothing is to be copied. */
async function begin(
  database: PostgresDatabase,
  sqlite: Database.Database,
  from: string,
): Promise<Ended | undefined> {
  const canary = sqlite.prepare<[], Buffer>('SELECT sealed FROM vault_canary').pluck().get()
  return database.write(async (tx) => {
    await tx.query('import.lock', LOCK_SCHEMA)
    const [state] = await tx.query<{ isUnfinished: boolean; isSame: boolean }>(
      'import.state',
      `SELECT to_regclass('${UNFINISHED_IMPORT}') IS NOT NULL AS "isUnfinished",
         EXISTS (SELECT FROM vault_canary WHERE sealed = $1) AS "isSame"`,
      [canary],
    )
    if (state?.isUnfinished) {
      if (!state.isSame)
        throw new OperatorError(
          'The database has the unfinished import of another folder: name that folder, or another database.',
        )
      await refuseHubs(tx)
      return undefined
    }
    // The canary of a folder comes with the table of an unfinished import, and only the end of the import drops that.
    if (state?.isSame) return (await findEnd(tx)) ?? {}
    await refuseRows(tx, from)
    await refuseHubs(tx)
    await tx.query('import.canary', 'UPDATE vault_canary SET sealed = $1', [canary])
    await tx.query('import.begin', `CREATE TABLE ${UNFINISHED_IMPORT} (begun_at bigint NOT NULL)`)
    return undefined
  })
}

async function findEnd({ query }: Tx): Promise<Ended | undefined> {
  const [found] = await query<Ended>(
    'import.ended',
    `SELECT at, subject, details ->> 'digest' AS digest FROM audit
     WHERE action = 'database.import' ORDER BY id DESC LIMIT 1`,
  )
  return found
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

async function refuseRows(tx: Tx, from: string) {
  for (const { name } of IMPORTED) {
    const [row] = await tx.query(`import.any.${name}`, `SELECT 1 FROM ${name} LIMIT 1`)
    if (!row) continue
    const ended = await findEnd(tx)
    const has = ended ? `the import of ${ended.subject}${on(ended.at)}` : `rows already (${name})`
    throw new OperatorError(
      `The PostgreSQL database has ${has}, and this run has brought nothing of ${from}: name an empty database in HUB_DATABASE_URL.`,
    )
  }
}

async function end({ write }: PostgresDatabase, tables: readonly Copied[], change: Omit<Change, 'action'>) {
  await write(async (tx) => {
    await refuseHubs(tx)
    for (const { name, columns } of tables) {
      const numbered = columns.find(({ isNumbered }) => isNumbered)?.name
      if (numbered !== undefined)
        await tx.query(
          `import.sequence.${name}`,
          `SELECT setval(pg_get_serial_sequence('${name}', '${numbered}'), coalesce(max(${numbered}), 0) + 1, false)
           FROM ${name}`,
        )
    }
    await tx.query(
      'import.seqs',
      `UPDATE event_sequence SET last = greatest(
         last, (SELECT max(seq) FROM events), (SELECT max(seq) FROM deleted_events)
       )`,
    )
    await noteChangeIn(tx, { ...change, action: 'database.import' })
    await tx.query('import.end', `DROP TABLE ${UNFINISHED_IMPORT}`)
  })
}
