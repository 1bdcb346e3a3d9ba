import { Client } from 'pg'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { openStorageAt } from '../cluster/ground.ts'
import type { Size } from '../growth/shop-rows.ts'
import { startOwnPostgres } from '../parts/own-postgres.ts'
import { DAY_MS, DAYS } from './history.ts'
import { layPeriods } from './periods.ts'
import { type Seeded, seedPayments, seedShops } from './seed.ts'

/** While it is filled: no row is logged, nothing runs beside it, and sorts for indices have room. */
const FILLING = {
  ...{ wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '8GB', synchronous_commit: 'off' },
  ...{ maintenance_work_mem: '1GB', autovacuum: 'off' },
}
/** PostgreSQL's own defaults, but for the vacuum: it is measured by itself, so it must not come meanwhile. */
const MEASURING = { autovacuum: 'off' }

/** Two databases on one server that differ in their payments alone. */
export interface Bed {
  large: Seeded
  small: Seeded
  pid(): number | undefined
  stop(): Promise<void>
}

/** Undefined if PostgreSQL is not installed. `say` is told how it goes on. */
export async function openBed(
  sizes: { large: Size; small: Size },
  say: (sentence: string) => void,
): Promise<Bed | undefined> {
  const opened = new AsyncDisposableStack()
  try {
    const server = await startOwnPostgres(opened, 'size-bench')
    if (!server) {
      await opened.disposeAsync()
      return undefined
    }
    const restart = async (settings: Readonly<Record<string, string>>) => {
      await withAdmin(server.url, async (admin) => {
        await admin.query('ALTER SYSTEM RESET ALL')
        for (const [name, value] of Object.entries(settings))
          await admin.query(`ALTER SYSTEM SET ${name} = '${value}'`)
      })
      await server.stop()
      await server.start()
    }
    await restart(FILLING)
    const { devices } = sizes.large
    const seeding = await openPartner(server.url, devices)
    const filled = async (name: 'large' | 'small') => {
      await withAdmin(server.url, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE postgres`))
      const one = await seedPayments(new URL(name, server.url).href, seeding, sizes[name])
      say(
        `size: ${one.size.payments.toLocaleString('en')} payments filled in ${one.seconds.toFixed(0)} s, ${gigabytes(one.bytes)}.`,
      )
      return one
    }
    const bed = { small: await filled('small'), large: await filled('large') }
    await restart(MEASURING)
    return { ...bed, pid: () => server.pid, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** The partner and its shops, in the database that the others are copies of. */
export async function openPartner(url: string, devices: number) {
  const ids = createRandomIds()
  const partner = { clientId: ids.clientId(), clientSecret: ids.clientSecret() }
  const startedAt = Date.now() - DAYS * DAY_MS
  const storage = await openStorageAt(url)
  const { clientId, clientSecret } = partner
  await storage.partners.create(
    OPERATOR,
    { clientId, name: 'Seed', disabledAt: undefined, createdAt: startedAt },
    clientSecret,
  )
  await storage.close()
  const periods = await withClient(url, (client) =>
    layPeriods(client, { startedAt, lengthMs: DAYS * DAY_MS }),
  )
  return { partner, shops: await seedShops(url, partner, devices, startedAt), periods, startedAt }
}

/** Connected to a database that nobody copies. */
function withAdmin(url: string, act: (admin: Client) => Promise<unknown>) {
  return withClient(new URL('template1', url).href, act)
}

async function withClient<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}
