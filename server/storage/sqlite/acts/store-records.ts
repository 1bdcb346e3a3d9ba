import { and, eq, ne } from 'drizzle-orm'
import type { StoreRecords } from '../../../stores/ports.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { reading } from '../engine/map-driver-errors.ts'
import { type StoreRows, storeColumns } from '../rows/store-rows.ts'
import { deviceStores, devices, stores } from '../schema/schema.ts'

export function createStoreRecords(
  { orm, writing, revisions, audit }: OpenDatabase,
  rows: StoreRows,
): StoreRecords {
  const owned = (clientId: string, storeId: string) =>
    and(eq(stores.id, storeId), eq(stores.clientId, clientId))

  return {
    find: reading((clientId, storeId) => {
      const row = orm.select(storeColumns).from(stores).where(owned(clientId, storeId)).get()
      return row && rows.toStore(row)
    }),

    update: writing((clientId, storeId, change, at) => {
      if (!orm.select({ id: stores.id }).from(stores).where(owned(clientId, storeId)).get())
        return { kind: 'not_found' }
      const { terminalID } = change
      if (terminalID !== undefined) {
        const sameTerminal = and(eq(stores.clientId, clientId), eq(stores.terminalID, terminalID))
        const taken = orm
          .select({ id: stores.id })
          .from(stores)
          .where(and(sameTerminal, ne(stores.id, storeId)))
          .get()
        if (taken) return { kind: 'terminal_taken' }
      }
      revisions.raise('stores')
      const changed = rows.update(storeId, change, at)
      if (changed.length > 0)
        audit.note({ at, action: 'store.update', subject: storeId, clientId, details: { changed } })
      const links = orm
        .select({ deviceId: devices.id })
        .from(stores)
        .innerJoin(deviceStores, eq(deviceStores.storeRowId, stores.rowId))
        .innerJoin(devices, eq(devices.rowId, deviceStores.deviceRowId))
        .where(eq(stores.id, storeId))
        .all()
      return { kind: 'updated', store: rows.get(storeId), deviceIds: links.map((link) => link.deviceId) }
    }),
  }
}
