import { and, eq, sql } from 'drizzle-orm'
import type { Vault } from '../../../security/vault.ts'
import type { PaidStore, Store, StoreChange } from '../../../stores/store.ts'
import type { Orm } from '../engine/database.ts'
import { stores } from '../schema/schema.ts'
import { SEALED, type SealedField, sealedFields } from '../schema/sealed-columns.ts'
import { totalColumns } from './store-totals.ts'

type Sealed = SealedField<'stores'>

/** The columns of a whole store. */
export const storeColumns = {
  id: stores.id,
  clientId: stores.clientId,
  userId: stores.userId,
  terminalID: stores.terminalID,
  terminalName: stores.terminalName,
  storeName: stores.storeName,
  ownerName: stores.ownerName,
  identityNumber: stores.identityNumber,
  bankName: stores.bankName,
  bankCode: stores.bankCode,
  bankAccountNumber: stores.bankAccountNumber,
  bankAccountName: stores.bankAccountName,
  phoneNumber: stores.phoneNumber,
  staticQRCode: stores.staticQRCode,
  ...totalColumns,
}

type StoreRow = Omit<Store, Sealed | 'totalTransaction' | 'totalAmount'> &
  Record<Sealed, Buffer> & { totalTransaction: string; totalAmount: string }

/** Reads and writes whole stores, inside the acts of every port. */
export interface StoreRows {
  toStore(row: StoreRow): Store
  get(storeId: string): Store
  /** Reads only what a payment to the partner's terminal needs, and the row id of the store. */
  paid(clientId: string, terminalID: string): { store: PaidStore; storeRowId: number } | undefined
  insert(store: { id: string; clientId: string; userId: string }, fields: StoreChange, at: number): void
  /** Applies a change; `userId` is the new owner of the store. */
  update(storeId: string, change: StoreChange & { userId?: string }, at: number): void
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
    const read = (field: Sealed) => sealed.read(row.id, field, row[field])
    return {
      ...row,
      ownerName: read('ownerName'),
      identityNumber: read('identityNumber'),
      bankAccountNumber: read('bankAccountNumber'),
      bankAccountName: read('bankAccountName'),
      phoneNumber: read('phoneNumber'),
      staticQRCode: read('staticQRCode'),
      totalTransaction: BigInt(row.totalTransaction),
      totalAmount: BigInt(row.totalAmount),
    }
  }

  /** Seals the values that are not undefined. */
  function sealedOf(storeId: string, values: Record<Sealed, string | undefined>) {
    const kept: Partial<Record<Sealed, Buffer>> = {}
    for (const field of SEALED.stores.fields) {
      const value = values[field]
      if (value !== undefined) kept[field] = sealed.seal(storeId, field, value)
    }
    return kept
  }

  return {
    toStore,

    get(storeId) {
      const row = byId.get({ id: storeId })
      if (!row) throw new Error('a store that is referred to always exists')
      return toStore(row)
    },

    paid(clientId, terminalID) {
      const row = byTerminal.get({ clientId, terminalID })
      if (!row) return undefined
      const { storeRowId, id, bankName, bankCode } = row
      const bankAccountNumber = sealed.read(id, 'bankAccountNumber', row.bankAccountNumber)
      const bankAccountName = sealed.read(id, 'bankAccountName', row.bankAccountName)
      const staticQRCode = sealed.read(id, 'staticQRCode', row.staticQRCode)
      return {
        storeRowId,
        store: { id, bankName, bankCode, bankAccountNumber, bankAccountName, staticQRCode },
      }
    },

    insert({ id, clientId, userId }, fields, at) {
      const seal = (field: Sealed) => sealed.seal(id, field, fields[field] ?? '')
      orm
        .insert(stores)
        .values({
          id,
          clientId,
          userId,
          terminalID: fields.terminalID ?? '',
          terminalName: fields.terminalName ?? '',
          storeName: fields.storeName ?? '',
          ownerName: seal('ownerName'),
          identityNumber: seal('identityNumber'),
          bankName: fields.bankName ?? '',
          bankCode: fields.bankCode ?? '',
          bankAccountNumber: seal('bankAccountNumber'),
          bankAccountName: seal('bankAccountName'),
          phoneNumber: seal('phoneNumber'),
          staticQRCode: seal('staticQRCode'),
          createdAt: at,
          updatedAt: at,
        })
        .run()
    },

    update(storeId, change, at) {
      const { ownerName, identityNumber, bankAccountNumber, bankAccountName, ...others } = change
      const { phoneNumber, staticQRCode, ...plain } = others
      const personal = { ownerName, identityNumber, bankAccountNumber, bankAccountName }
      orm
        .update(stores)
        .set({
          ...defined(plain),
          ...sealedOf(storeId, { ...personal, phoneNumber, staticQRCode }),
          updatedAt: at,
        })
        .where(eq(stores.id, storeId))
        .run()
    },
  }
}

/** Leaves out undefined fields, so that their columns stay unchanged. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The entries are those of T, less what was undefined.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
