import { and, eq, sql } from 'drizzle-orm'
import type { PaidStore, Store, StoreChange } from '../../stores/store.ts'
import type { Vault } from '../../vault.ts'
import type { Orm } from './database.ts'
import { stores } from './schema.ts'

/** Columns whose values are personal and therefore sealed. */
const SEALED = ['identityNumber', 'bankAccountNumber', 'phoneNumber'] as const
type SealedField = (typeof SEALED)[number]

const place = (storeId: string, field: SealedField) => `stores/${storeId}/${field}`

/** What a store's row holds, with the totals as text: SQLite's integers are wider than a number. */
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
  totalTransaction: sql<string>`cast(${stores.totalTransaction} as text)`,
  totalAmount: sql<string>`cast(${stores.totalAmount} as text)`,
}

type StoreRow = Omit<Store, SealedField | 'totalTransaction' | 'totalAmount'> &
  Record<SealedField, Buffer> & { totalTransaction: string; totalAmount: string }

/** Reading and writing whole stores inside an act of any record. */
export interface StoreRows {
  toStore(row: StoreRow): Store
  get(storeId: string): Store
  /** What a payment to the partner's terminal needs, and no more: every sealed field costs its opening. */
  paid(clientId: string, terminalID: string): PaidStore | undefined
  insert(store: { id: string; clientId: string; userId: string }, fields: StoreChange, at: number): void
  /** Applies a change, and the new user when the store changes hands. */
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

  const open = (id: string, field: SealedField, sealed: Buffer) =>
    vault.open(place(id, field), sealed).toString('utf8')

  function toStore(row: StoreRow): Store {
    return {
      ...row,
      identityNumber: open(row.id, 'identityNumber', row.identityNumber),
      bankAccountNumber: open(row.id, 'bankAccountNumber', row.bankAccountNumber),
      phoneNumber: open(row.id, 'phoneNumber', row.phoneNumber),
      totalTransaction: BigInt(row.totalTransaction),
      totalAmount: BigInt(row.totalAmount),
    }
  }

  const seal = (id: string, field: SealedField, value: string) => vault.seal(place(id, field), value)

  return {
    toStore,

    get(storeId) {
      const row = byId.get({ id: storeId })
      if (!row) throw new Error('a store that is referred to always exists')
      return toStore(row)
    },

    paid(clientId, terminalID) {
      const row = byTerminal.get({ clientId, terminalID })
      return row && { ...row, bankAccountNumber: open(row.id, 'bankAccountNumber', row.bankAccountNumber) }
    },

    insert({ id, clientId, userId }, fields, at) {
      orm
        .insert(stores)
        .values({
          id,
          clientId,
          userId,
          terminalID: fields.terminalID ?? '',
          terminalName: fields.terminalName ?? '',
          storeName: fields.storeName ?? '',
          ownerName: fields.ownerName ?? '',
          identityNumber: seal(id, 'identityNumber', fields.identityNumber ?? ''),
          bankName: fields.bankName ?? '',
          bankCode: fields.bankCode ?? '',
          bankAccountNumber: seal(id, 'bankAccountNumber', fields.bankAccountNumber ?? ''),
          bankAccountName: fields.bankAccountName ?? '',
          phoneNumber: seal(id, 'phoneNumber', fields.phoneNumber ?? ''),
          staticQRCode: fields.staticQRCode ?? '',
          createdAt: at,
          updatedAt: at,
        })
        .run()
    },

    update(storeId, change, at) {
      const { identityNumber, bankAccountNumber, phoneNumber, ...plain } = change
      orm
        .update(stores)
        .set({
          ...defined(plain),
          ...(identityNumber !== undefined && {
            identityNumber: seal(storeId, 'identityNumber', identityNumber),
          }),
          ...(bankAccountNumber !== undefined && {
            bankAccountNumber: seal(storeId, 'bankAccountNumber', bankAccountNumber),
          }),
          ...(phoneNumber !== undefined && { phoneNumber: seal(storeId, 'phoneNumber', phoneNumber) }),
          updatedAt: at,
        })
        .where(eq(stores.id, storeId))
        .run()
    },
  }
}

/** Leaves out what is undefined, so that an absent field stays unchanged. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The entries are those of T, less what was undefined.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
