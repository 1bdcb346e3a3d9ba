import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { OperatorError } from '../../../platform/errors.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
/** The end of a file's name: what of that migration is for later. */
const CONTRACT = '.contract.sql'
/**
 * A change of a table waits this long for the acts under way. What comes after it waits behind it: less than an act of a
 * hub waits for a lock, or the hubs that serve would refuse payments.
 */
const LOCK_TIMEOUT_MS = 1_000
/** Between two attempts, the acts that have waited go on. */
const PAUSE_MS = 250
const ATTEMPTS = 10

/** The attempts to take away what no hub needs any more: the next start tries again. */
const CONTRACT_ATTEMPTS = 2

export interface Migration {
  version: number
  sql: string
  /** Takes away what only hubs of earlier versions need. Carried out when none of those runs. */
  contract?: string
}

/** The state of the database's schema. A hub below the oldest version that it allows can't work on it. */
interface Schema {
  version: number
  oldest_hub: number
  /** Up to this version, migrations are contracted. Undefined before there is any. */
  contracted?: number
}

/**
 * Migrates the database to the newest schema, each version in a transaction: one that reads a large table must not keep the
 * lock of the one before. A database that a newer hub has migrated stays as it is: a release changes the schema so that the
 * release before can go on, at each of its versions.
 */
export async function migrate(client: ClientBase, known: readonly Migration[] = readMigrations()) {
  let hasMore = true
  while (hasMore) hasMore = await change(client, ATTEMPTS, () => applyNext(client, known))
  await change(client, CONTRACT_ATTEMPTS, () => contract(client, known)).catch((error) => {
    if (!isLockedOut(error)) throw error
  })
}

/** Carries out a change of the schema in a transaction, again while acts of hubs hold what it locks. */
async function change<T>(client: ClientBase, attempts: number, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = 0`)
      await makeSchemaTable(client)
      await client.query(LOCK_SCHEMA)
      const result = await act()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      if (attempt === attempts || !isLockedOut(error)) throw error
    }
    await pause(PAUSE_MS)
  }
}

/**
 * Lets one process at a time change the database. Hubs that serve only read this table. Not an advisory lock: each role that
 * may connect can take those.
 */
export const LOCK_SCHEMA = 'LOCK TABLE schema IN SHARE ROW EXCLUSIVE MODE'

/** Throws for a database that `migrate` has still to make or to change. */
export async function refuseUnmigrated(client: ClientBase) {
  const { version } = (await hasTable(client, 'schema')) ? await readSchema(client) : { version: 0 }
  if (version >= newest(readMigrations())) return
  throw new OperatorError(
    version === 0
      ? 'The PostgreSQL database has no tables of the hub: check HUB_DATABASE_URL; the first start (npm start) makes them.'
      : 'The PostgreSQL database is from an earlier version of the hub: start this version once (npm start), which migrates it.',
  )
}

/** Of two processes that make it at once, the second waits for the first, fails, and finds the table then. */
async function makeSchemaTable(client: ClientBase) {
  if (await hasTable(client, 'schema')) return
  await client.query(
    `CREATE TABLE schema (version integer NOT NULL, oldest_hub integer NOT NULL);
     INSERT INTO schema (version, oldest_hub) VALUES (0, 1)`,
  )
}

/** Returns whether it has migrated to a version, so that there may be another one. */
async function applyNext(client: ClientBase, known: readonly Migration[]): Promise<boolean> {
  const schema = await readSchema(client)
  if (newest(known) < schema.oldest_hub)
    throw new OperatorError(
      `The database has the schema ${schema.version}, and this hub knows ${newest(known)}: start the hub of the newer release.`,
    )
  const next = known.find(({ version }) => version > schema.version)
  if (!next) return false
  await client.query(next.sql)
  await client.query('UPDATE schema SET version = $1', [next.version])
  return true
}

async function contract(client: ClientBase, known: readonly Migration[]) {
  const { version: upTo, contracted } = await readSchema(client)
  for (const { version, contract } of known) {
    if (!contract || contracted === undefined || version <= contracted || version > upTo) continue
    const { rows } = await client.query(
      'SELECT 1 FROM hubs WHERE beat_at > clock_ms() - 5000 AND coalesce(schema, 0) < $1 LIMIT 1',
      [version],
    )
    if (rows.length > 0) return
    await client.query(contract)
    await client.query('UPDATE schema SET contracted = $1', [version])
  }
}

/** The newest schema that this hub knows. */
export function newest(known: readonly Migration[] = readMigrations()): number {
  return Math.max(...known.map(({ version }) => version))
}

export async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    name,
  ])
  return rows[0]?.exists === true
}

async function readSchema(client: ClientBase): Promise<Schema> {
  const { rows } = await client.query<Schema>('SELECT * FROM schema')
  const [schema] = rows
  if (!schema) throw new OperatorError('The table schema of the database is empty: restore a backup.')
  return schema
}

/** The migrations of this release. */
export function readMigrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
  return files
    .filter((name) => !name.endsWith(CONTRACT))
    .sort()
    .map((name) => {
      const contract = name.replace('.sql', CONTRACT)
      const more = files.includes(contract) ? { contract: read(contract) } : {}
      return { version: Number.parseInt(name, 10), sql: read(name), ...more }
    })
}

/**
 * PostgreSQL's codes of a lock that was not given in time, of a deadlock with an act of a hub, and of a table that another
 * process has made meanwhile.
 */
const LOCKED_OUT: readonly unknown[] = ['55P03', '40P01', '23505', '42P07']

function isLockedOut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCKED_OUT.includes(error.code)
}
