import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import type { PaidStore, Store, StoreChange, StoreField } from '../../../stores/store.ts'
import { createStoreMapping, type StoreRow } from '../../shared/store-mapping.ts'
import type { Orm } from '../engine/database.ts'
import { stores } from '../schema/schema.ts'
import { totalColumns } from './store-totals.ts'

const { rowId, createdAt, updatedAt, ...columns } = getTableColumns(stores)
/** The columns of a whole store. */
export const storeColumns = { ...columns, ...totalColumns }

/** Reads and writes whole stores, inside the acts of every port. */
export interface StoreRows {
  toStore(row: StoreRow): Store
  get(storeId: string): Store
  /** Reads only what a payment to the partner's terminal needs, and the row id of the store. */
  paid(clientId: string, terminalID: string): { store: PaidStore; storeRowId: number } | undefined
  insert(store: { id: string; clientId: string; userId: string }, fields: StoreChange, at: number): void
  /** Applies a change, and returns the fields that it changes; `userId` is the new owner of the store. */
  update(storeId: string, change: StoreChange & { userId?: string }, at: number): StoreField[]
}

export function createStoreRows(orm: Orm, vault: Vault): StoreRows {
  const byId = orm
    .select(storeColumns)
    .from(stores)
    .where(eq(stores.id, sql.placeholder('id')))
    .prepare()

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

  const { toStore, toPaid, toColumns, toNewColumns, changedFields } = createStoreMapping(vault)

  function get(storeId: string): Store {
    const row = byId.get({ id: storeId })
    if (!row) throw new Error('a store that is referred to always exists')
    return toStore(row)
  }

  return {
    toStore,

    get,

    paid(clientId, terminalID) {
      const row = byTerminal.get({ clientId, terminalID })
      if (!row) return undefined
      const { storeRowId, ...store } = row
      return { storeRowId, store: toPaid(store) }
    },

    insert(store, fields, at) {
      orm
        .insert(stores)
        .values({ ...store, ...toNewColumns(store.id, fields), createdAt: at, updatedAt: at })
        .run()
    },

    update(storeId, change, at) {
      const before = get(storeId)
      const set = { ...toColumns(storeId, change), updatedAt: at }
      orm.update(stores).set(set).where(eq(stores.id, storeId)).run()
      return changedFields(before, change)
    },
  }
}
