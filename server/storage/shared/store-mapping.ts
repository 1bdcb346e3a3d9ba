import type { Vault } from '../../security/vault.ts'
import {
  type PaidStore,
  STORE_FIELDS,
  type Store,
  type StoreChange,
  type StoreField,
} from '../../stores/store.ts'
import { SEALED, type SealedField, sealedFields } from './sealed-columns.ts'

type Sealed = SealedField<'stores'>

/** A whole store as it is read. The totals are texts: they may be above 2^53. */
export type StoreRow = Omit<Store, Sealed | 'totalTransaction' | 'totalAmount'> &
  Record<Sealed, Buffer> & { totalTransaction: string; totalAmount: string }

/** The columns of a store that a payment's answer contains. */
export type PaidStoreRow = { [F in keyof PaidStore]: F extends Sealed ? Buffer : PaidStore[F] }

/** The columns of a change: its personal fields are sealed. */
export type StoreColumns<C extends StoreChange> = { [F in keyof C]: F extends Sealed ? Buffer : C[F] }

export type StoreMapping = ReturnType<typeof createStoreMapping>

/** Maps stores to rows and back. */
export function createStoreMapping(vault: Vault) {
  const sealed = sealedFields(vault, 'stores')

  function toColumns<C extends StoreChange>(storeId: string, change: C): StoreColumns<C> {
    const isSealed = (field: string) => SEALED.stores.fields.some((one) => one === field)
    const entries = Object.entries(change).map(([field, value]) => {
      return [
        field,
        isSealed(field) && value !== undefined ? sealed.seal(storeId, field as Sealed, value) : value,
      ]
    })
    // Sealed fields became buffers. All others are unchanged.
    return Object.fromEntries(entries) as StoreColumns<C>
  }

  return {
    toStore(row: StoreRow): Store {
      const { totalTransaction, totalAmount } = row
      const totals = { totalTransaction: BigInt(totalTransaction), totalAmount: BigInt(totalAmount) }
      return { ...row, ...sealed.readAll(row), ...totals }
    },

    toPaid(row: PaidStoreRow): PaidStore {
      const read = (field: 'bankAccountNumber' | 'bankAccountName' | 'staticQRCode') =>
        sealed.read(row.id, field, row[field])
      const [bankAccountNumber, bankAccountName] = [read('bankAccountNumber'), read('bankAccountName')]
      return { ...row, bankAccountNumber, bankAccountName, staticQRCode: read('staticQRCode') }
    },

    toColumns,

    /** The columns of a new store: a text that is not set is empty. */
    toNewColumns(storeId: string, fields: StoreChange) {
      const texts = STORE_FIELDS.map((field) => [field, fields[field] ?? ''])
      return toColumns(storeId, Object.fromEntries(texts) as Record<StoreField, string>)
    },

    /** The fields that a change gives another value. */
    changedFields: (before: Store, change: StoreChange): StoreField[] =>
      STORE_FIELDS.filter((field) => (change[field] ?? before[field]) !== before[field]),
  }
}
