import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { v7 as uuidv7 } from 'uuid'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault, type Vault } from '../../../server/security/vault.ts'
import { openDatabase } from '../../../server/storage/sqlite/engine/database.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../../support/actors.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { MASTER_KEY, type Partner, type Shop } from '../parts/market.ts'
import { paymentOf } from './payment.ts'
import { createShopRows, type Size, shopAt } from './shop-rows.ts'

const DAY_MS = 24 * 60 * 60_000
/** The payments are spread over so many days until now. */
const DAYS = 365
/** Payments per commit: half of the commit queue's limit. */
const AT_ONCE = 5_000
/**
 * The newest announcements are still open, some before them were missed, and all others were played. The numbers are
 * shares of the devices, so that the share of connecting devices with open announcements does not depend on the file's
 * size.
 */
export const OPEN_SHARE = 1 / 500
export const MISSED_SHARE = 1 / 100

/** A data folder with a filled database under `MASTER_KEY`. */
export interface Filled {
  dataDir: string
  size: Size
  partner: Partner
}

export function databaseOf({ dataDir }: Pick<Filled, 'dataDir'>): string {
  return join(dataDir, 'hub.db')
}

/** `count` shops from the whole file, with their share of open announcements. */
export function shopsOf({ size }: Filled, count: number): Shop[] {
  if (count > size.devices) throw new Error(`${count} shops of ${size.devices}`)
  return Array.from({ length: count }, (_, index) => shopAt(Math.floor((index * size.devices) / count), size))
}

/**
 * Fills a new database with the data of so many days: one partner, devices with their shops, and payments with their
 * announcements. Payments go through the normal storage act, thousands per commit. Devices and shops are inserted as
 * rows, because a registration for each would take longer than everything else.
 */
export async function seed(dataDir: string, size: Size, days = DAYS): Promise<Filled> {
  const file = databaseOf({ dataDir })
  const vault = createVault(MASTER_KEY)
  const ids = createRandomIds()
  const partner = { clientId: ids.clientId(), clientSecret: ids.clientSecret() }
  const spanMs = days * DAY_MS
  const startedAt = Date.now() - spanMs
  const storage = openSqliteStorage(file, storageOptions({ vault, ids }))
  const { clientId, clientSecret } = partner
  await storage.partners.create(
    OPERATOR,
    { clientId, name: 'Seed', disabledAt: undefined, createdAt: startedAt },
    clientSecret,
  )
  storage.close()
  openShops(file, vault, clientId, size.devices, startedAt)
  await recordPayments(file, vault, clientId, size, { startedAt, spanMs })
  playAnnouncements(file, vault, size)
  return { dataDir, size, partner }
}

/** The session that owns each device. */
export const SESSION = '0123456789abcdef'

function openShops(file: string, vault: Vault, clientId: string, count: number, at: number) {
  const { sqlite, close } = openDatabase(file, vault)
  const rowsOf = createShopRows(vault, clientId, at)
  const addUser = inserter(sqlite, 'users')
  const addStore = inserter(sqlite, 'stores')
  const addDevice = inserter(sqlite, 'devices')
  const link = inserter(sqlite, 'device_stores')
  sqlite.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const { user, store, device } = rowsOf(index)
      addUser(user)
      const store_number = addStore(store)
      const device_number = addDevice({ ...device, session_id: SESSION })
      link({ device_number, store_number, linked_at: at })
    }
  })()
  close()
}

/** Inserts rows that have the same columns. Returns the row id. */
function inserter(
  sqlite: Database.Database,
  table: string,
): (row: Record<string, unknown>) => number | bigint {
  let insert: Database.Statement | undefined
  return (row) => {
    const names = Object.keys(row)
    insert ??= sqlite.prepare(
      `INSERT INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
    )
    return insert.run(row).lastInsertRowid
  }
}

async function recordPayments(
  file: string,
  vault: Vault,
  clientId: string,
  size: Size,
  { startedAt, spanMs }: { startedAt: number; spanMs: number },
) {
  const ids = createRandomIds()
  const storage = openSqliteStorage(file, storageOptions({ vault, ids }))
  for (let from = 0; from < size.payments; from += AT_ONCE) {
    const until = Math.min(size.payments, from + AT_ONCE)
    const numbers = Array.from({ length: until - from }, (_, index) => from + index)
    await Promise.all(
      numbers.map((number) => {
        const at = startedAt + Math.floor((number / size.payments) * spanMs)
        const payment = paymentOf({
          ...{ id: uuidv7({ msecs: at }), clientId, at, ftCode: `FT${number}` },
          // Shops in a scattered order, like real customers.
          terminalID: shopAt(number, size).terminalID,
        })
        return storage.payments.record(payment)
      }),
    )
  }
  storage.close()
}

/** Sets each announcement's stage by its age. */
function playAnnouncements(file: string, vault: Vault, { devices }: Size) {
  const open = Math.ceil(devices * OPEN_SHARE)
  const missed = Math.ceil(devices * MISSED_SHARE)
  const { sqlite, close } = openDatabase(file, vault)
  sqlite
    .prepare(
      `UPDATE announcements SET sent_at = queued_at + 20, received_at = queued_at + 40, played_at = queued_at + 3000, stage = 'played'
       WHERE number <= (SELECT number FROM announcements ORDER BY number DESC LIMIT 1 OFFSET ${open + missed})`,
    )
    .run()
  sqlite
    .prepare(
      `UPDATE announcements SET expired_at = expires_at, stage = 'expired'
       WHERE stage = 'queued' AND number <= (SELECT number FROM announcements ORDER BY number DESC LIMIT 1 OFFSET ${open})`,
    )
    .run()
  close()
}
