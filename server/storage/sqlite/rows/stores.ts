import type Database from 'better-sqlite3'
import type { Speaker } from '../../../devices/device.ts'
import { createBoundedMap } from '../../../platform/bounded-map.ts'
import type { Till } from '../../acts/payments/recording.ts'
import type { PaidStoreRow, StoreMapping } from '../../shared/store-mapping.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { createHotRows } from '../engine/hot-rows.ts'

/** Stores of a large hub, some 900 bytes each. The one cached longest gives way. */
const CACHED = 100_000

type SpeakerRow = Omit<Speaker, 'active'> & { deviceRowId: number; active: number }

/** A partner's store, inside the act of a payment. Undefined when there is none; that is not cached. */
export type StoreCache = (clientId: string, terminalID: string) => Till | undefined

/**
 * Caches the stores that payments come to, with their speakers. Without it a payment looks up rows of two large tables
 * and opens three sealed values.
 *
 * Why an entry is never stale: every act that changes a store, a link or a speaker raises the revision `stores` in its
 * own commit, in whatever process it runs. Each payment reads that revision in the transaction that writes the payment.
 * Why all entries go at once: such acts are rare (registrations, locks, changes of a store or of a language), and to
 * read a store again costs some 20 µs.
 * Why rollbacks are counted: after a rollback another change may raise the revision to the same number again.
 * Held by test/server/storage/sqlite/rows/stores.test.ts.
 */
export function createStoreCache(
  { sqlite, commits }: Pick<OpenDatabase, 'sqlite' | 'commits'>,
  toPaid: StoreMapping['toPaid'],
  limit = CACHED,
): StoreCache {
  const cache = createBoundedMap<Till>(limit)
  let seen: string | undefined
  const revision = sqlite.prepare<[], number>("SELECT revision FROM revisions WHERE name = 'stores'").pluck()
  const storeAt = sqlite.prepare<[clientId: string, terminalID: string], PaidStoreRow & { rowId: number }>(
    `SELECT number AS rowId, id, bank_name AS bankName, bank_code AS bankCode,
       bank_account_number AS bankAccountNumber, bank_account_name AS bankAccountName, static_qr_code AS staticQRCode
     FROM stores WHERE client_id = ? AND terminal_id = ?`,
  )
  // No join: SQLite takes five times as long for one here, measured, for the same two look-ups.
  const speakersOf = sqlite.prepare<[storeRowId: number], SpeakerRow>(
    `SELECT number AS deviceRowId, id AS deviceId, serial, active, lang FROM devices
     WHERE number IN (SELECT device_number FROM device_stores WHERE store_number = ?) AND revoked_at IS NULL`,
  )

  function read(clientId: string, terminalID: string): Till | undefined {
    const row = storeAt.get(clientId, terminalID)
    if (!row) return undefined
    const { rowId, ...columns } = row
    // Every payment gets the same objects: none may change them for the next.
    const speakers = speakersOf.all(rowId).map(({ deviceRowId, active, ...speaker }) => ({
      deviceRowId,
      speaker: Object.freeze({ ...speaker, active: active === 1 }),
    }))
    return { store: Object.freeze(toPaid(columns)), storeRowId: rowId, speakers }
  }

  return function cached(clientId, terminalID) {
    const current = `${revision.get()} ${commits.rollbacks}`
    if (current !== seen) cache.clear()
    seen = current
    // The length tells where the terminal ends, whatever the two texts are.
    const key = `${terminalID.length} ${terminalID}${clientId}`
    const known = cache.get(key)
    if (known) return known
    const found = read(clientId, terminalID)
    if (found) cache.set(key, found)
    return found
  }
}

/** Counts a payment in the totals of its store, inside the commit of the payment. */
export function createStoreTotals(sqlite: Database.Database): (storeRowId: number, amount: number) => void {
  // The driver binds numbers as floats, and a sum with a float would lose đồng beyond 2^53: hence the cast.
  const add = sqlite.prepare<[store: number, amount: number]>(
    `INSERT INTO store_totals_recent (store_number, total_transaction, total_amount)
     VALUES (?, 1, cast(? AS integer))
     ON CONFLICT (store_number) DO UPDATE SET
       total_transaction = total_transaction + 1,
       total_amount = total_amount + excluded.total_amount`,
  )
  const countWrite = createHotRows(sqlite, 'store_totals', 'store_number', {
    total_transaction: 'sum',
    total_amount: 'sum',
  })

  return function addToTotals(storeRowId, amount) {
    add.run(storeRowId, amount)
    countWrite()
  }
}
