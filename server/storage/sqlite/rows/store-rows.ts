import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import type { PaidStore, Store } from '../../../stores/store.ts'
import { carryOut } from '../../acts/act.ts'
import { createStoreRows as createActRows } from '../../acts/store-rows.ts'
import { createStoreMapping, type StoreRow } from '../../shared/store-mapping.ts'
import type { Orm } from '../engine/database.ts'
import { stores } from '../schema/schema.ts'
import { runOn, SQLITE } from '../schema/statements.ts'
import { totalColumns } from './store-totals.ts'

const { rowId, createdAt, updatedAt, ...columns } = getTableColumns(stores)
/** The columns of a whole store. */
export const storeColumns = { ...columns, ...totalColumns }

/** Reads and writes whole stores, inside the acts of every port. */
export interface StoreRows {
  toStore(row: StoreRow): Store
  /** The stores of a device, in the order in which they were linked. */
  ofDevice(deviceRowId: number): Store[]
  /** Reads only what a payment to the partner's terminal needs, and the row id of the store. */
  paid(clientId: string, terminalID: string): { store: PaidStore; storeRowId: number } | undefined
}

export function createStoreRows(orm: Orm, vault: Vault): StoreRows {
  const byTerminal = orm
    .select({
      storeRowId: stores.rowId,
      id: stores.id,
      bankName: stores.bankName,
      bankCode: stores.bankCode,
      bankAccountNumber: stores.bankAccountNumber,
      bankAccountName: stores.bankAccountName,
      staticQRCode: stores.staticQRCode,
    })
    .from(stores)
    .where(
      and(
        eq(stores.clientId, sql.placeholder('clientId')),
        eq(stores.terminalID, sql.placeholder('terminalID')),
      ),
    )
    .prepare()

  const { toStore, toPaid } = createStoreMapping(vault)
  const { ofDevice } = createActRows({ ...SQLITE, vault })
  const run = runOn(orm.$client)

  return {
    toStore,

    ofDevice: (deviceRowId) => carryOut(ofDevice(deviceRowId), run),

    paid(clientId, terminalID) {
      const row = byTerminal.get({ clientId, terminalID })
      if (!row) return undefined
      const { storeRowId, ...store } = row
      return { storeRowId, store: toPaid(store) }
    },
  }
}
