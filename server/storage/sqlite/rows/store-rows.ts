import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import {
  type PaidStore,
  STORE_FIELDS,
  type Store,
  type StoreChange,
  type StoreField,
} from '../../../stores/store.ts'
import type { Orm } from '../engine/database.ts'
import { stores } from '../schema/schema.ts'
import { SEALED, type SealedField, sealedFields } from '../schema/sealed-columns.ts'
import { totalColumns } from './store-totals.ts'

type Sealed = SealedField<'stores'>

const { rowId, createdAt, updatedAt, ...columns } = getTableColumns(stores)
/** The columns of a whole store. */
export const storeColumns = { ...columns, ...totalColumns }

type StoreRow = Omit<Store, Sealed | 'totalTransaction' | 'totalAmount'> &
  Record<Sealed, Buffer> & { totalTransaction: string; totalAmount: string }

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

  const sealed = sealedFields(vault, 'stores')

  function toStore(row: StoreRow): Store {
    const { totalTransaction, totalAmount } = row
    const totals = { totalTransaction: BigInt(totalTransaction), totalAmount: BigInt(totalAmount) }
    return { ...row, ...sealed.readAll(row), ...totals }
  }

  /** The columns of a change: its personal fields are sealed. */
  function toColumns<C extends StoreChange>(storeId: string, change: C) {
    const isSealed = (field: string) => SEALED.stores.fields.some((one) => one === field)
    const entries = Object.entries(change).map(([field, value]) => {
      return [
        field,
        isSealed(field) && value !== undefined ? sealed.seal(storeId, field as Sealed, value) : value,
      ]
    })
    // Sealed fields became buffers. All others are unchanged.
    return Object.fromEntries(entries) as { [F in keyof C]: F extends Sealed ? Buffer : C[F] }
  }

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
      const read = (field: 'bankAccountNumber' | 'bankAccountName' | 'staticQRCode') =>
        sealed.read(row.id, field, row[field])
      const [bankAccountNumber, bankAccountName] = [read('bankAccountNumber'), read('bankAccountName')]
      return {
        storeRowId,
        store: { ...store, bankAccountNumber, bankAccountName, staticQRCode: read('staticQRCode') },
      }
    },

    insert(store, fields, at) {
      const texts = STORE_FIELDS.map((field) => [field, fields[field] ?? ''])
      const all = Object.fromEntries(texts) as Record<keyof StoreChange, string>
      orm
        .insert(stores)
        .values({ ...store, ...toColumns(store.id, all), createdAt: at, updatedAt: at })
        .run()
    },

    update(storeId, change, at) {
      const before = get(storeId)
      const set = { ...toColumns(storeId, change), updatedAt: at }
      orm.update(stores).set(set).where(eq(stores.id, storeId)).run()
      return STORE_FIELDS.filter((field) => (change[field] ?? before[field]) !== before[field])
    },
  }
}
