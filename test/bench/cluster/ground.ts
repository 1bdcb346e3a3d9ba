import { Client } from 'pg'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openPostgresStorage } from '../../../server/storage/postgres/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import {
  fill,
  MASTER_KEY,
  type Market,
  openMarketAt,
  type Partner,
  type Shop,
  type Start,
} from '../parts/market.ts'
import { startOwnPostgres } from '../parts/own-postgres.ts'

/** Few: on a busy machine more of them would wait too long for a connection. */
const MADE_AT_ONCE = 16

/** PostgreSQL with its own defaults, so that each commit is flushed, and databases with a partner and its shops. */
export interface Ground {
  partner: Partner
  shops: readonly Shop[]
  /** The process of PostgreSQL. */
  pid: number | undefined
  /** The address of a new copy of the filled database. */
  database(): Promise<string>
  stop(): Promise<void>
}

/** Undefined if PostgreSQL is not installed. */
export async function openGround(shops: number): Promise<Ground | undefined> {
  const opened = new AsyncDisposableStack()
  try {
    const server = await startOwnPostgres(opened, 'cluster-bench')
    if (!server) {
      await opened.disposeAsync()
      return undefined
    }
    // Thousands of commits that nobody measures: none waits for the disk.
    const storage = await openStorageAt(`${server.url}?options=-c%20synchronous_commit%3Doff`)
    const filled = await fill(storage, shops, MADE_AT_ONCE).finally(() => storage.close())
    // The copies are made from a database that nobody is connected to.
    const admin = new Client(urlOf(server.url, 'template1'))
    await admin.connect()
    opened.defer(() => admin.end())
    let copies = 0
    return {
      partner: filled.partner,
      shops: filled.made,
      pid: server.pid,
      async database() {
        copies += 1
        await admin.query(`CREATE DATABASE bench_${copies} TEMPLATE postgres`)
        return urlOf(server.url, `bench_${copies}`)
      },
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Opens the storage in this process. */
export function openStorageAt(url: string): Promise<Storage> {
  return openPostgresStorage(url, storageOptions({ vault: createVault(MASTER_KEY) }))
}

/** Starts so many hubs on one database, for so many of its shops. The stack ends them. */
export async function openHubs(
  { partner, shops }: Pick<Ground, 'partner' | 'shops'>,
  url: string,
  opened: AsyncDisposableStack,
  hubs: number,
  start?: Start,
): Promise<[Market, ...Market[]]> {
  const open = async () => {
    const market = await openMarketAt(url, { partner, shops }, start)
    opened.defer(market.stop)
    return market
  }
  const first = await open()
  return [first, ...(await Promise.all(Array.from({ length: hubs - 1 }, open)))]
}

function urlOf(server: string, database: string): string {
  return new URL(database, server).href
}
