import { STORE_FIELDS, type Store, type StoreChange, type StoreField } from '../../stores/store.ts'
import { createStoreMapping, type StoreRow } from '../shared/store-mapping.ts'
import { type Act, type Engine, row, rows } from './act.ts'

const COLUMN_OF: Record<StoreField, string> = {
  storeName: 'store_name',
  ownerName: 'owner_name',
  identityNumber: 'identity_number',
  bankName: 'bank_name',
  bankCode: 'bank_code',
  bankAccountNumber: 'bank_account_number',
  bankAccountName: 'bank_account_name',
  phoneNumber: 'phone_number',
  terminalID: 'terminal_id',
  terminalName: 'terminal_name',
  staticQRCode: 'static_qr_code',
}
const COLUMNS = STORE_FIELDS.map((field) => COLUMN_OF[field])

/** Reads whole stores, inside the acts of every port. */
export function createStoreRows({ vault, totalOf, among }: Pick<Engine, 'vault' | 'totalOf' | 'among'>) {
  const { toStore } = createStoreMapping(vault)
  const columns = `s.id, s.client_id AS "clientId", s.user_id AS "userId",
    ${STORE_FIELDS.map((field) => `s.${COLUMN_OF[field]} AS "${field}"`).join(', ')},
    ${totalOf('total_transaction', 's.number')} AS "totalTransaction",
    ${totalOf('total_amount', 's.number')} AS "totalAmount"`

  function* find(storeId: string): Act<Store | undefined> {
    const text = `SELECT ${columns} FROM stores s WHERE s.id = $1`
    const found = yield* row<StoreRow>('stores.find', text, [storeId])
    return found && toStore(found)
  }

  /** The stores of devices, in the order in which they were linked. Devices without a store are left out. */
  function* ofDevices(deviceRowIds: readonly number[]): Act<Map<number, Store[]>> {
    const found = yield* rows<StoreRow & { deviceRowId: number }>(
      'stores.ofDevices',
      `SELECT l.device_number AS "deviceRowId", ${columns}
       FROM device_stores l JOIN stores s ON s.number = l.store_number
       WHERE ${among('l.device_number', '$1', 'bigint')} ORDER BY l.linked_at, s.id`,
      [deviceRowIds],
    )
    const stores = new Map<number, Store[]>()
    for (const { deviceRowId, ...row } of found)
      stores.set(deviceRowId, [...(stores.get(deviceRowId) ?? []), toStore(row)])
    return stores
  }

  return {
    find,

    *get(storeId: string): Act<Store> {
      const store = yield* find(storeId)
      if (!store) throw new Error('a store that is referred to always exists')
      return store
    },

    ofDevices,

    *ofDevice(deviceRowId: number): Act<Store[]> {
      return (yield* ofDevices([deviceRowId])).get(deviceRowId) ?? []
    },

    /** The stores with these row ids, the highest first. */
    *ofNumbers(rowIds: readonly number[]): Act<{ rowId: number; createdAt: number; store: Store }[]> {
      const found = yield* rows<StoreRow & { rowId: number; createdAt: number }>(
        'stores.ofNumbers',
        `SELECT s.number AS "rowId", s.created_at AS "createdAt", ${columns} FROM stores s
         WHERE ${among('s.number', '$1', 'bigint')} ORDER BY s.number DESC`,
        [rowIds],
      )
      return found.map(({ rowId, createdAt, ...row }) => ({ rowId, createdAt, store: toStore(row) }))
    },
  }
}

/** Writes stores, inside the acts of every port. Raise the revision of the stores afterwards. */
export function createStoreWrites({ vault }: Pick<Engine, 'vault'>) {
  const { toColumns, toNewColumns, changedFields } = createStoreMapping(vault)

  return {
    /** Changes nothing when the partner has a store for this terminal. */
    *insert(
      { id, clientId, userId }: Pick<Store, 'id' | 'clientId' | 'userId'>,
      fields: StoreChange,
      at: number,
    ): Act<void> {
      const sealed = toNewColumns(id, fields)
      yield* rows(
        'stores.insert',
        `INSERT INTO stores (id, client_id, user_id, created_at, updated_at, ${COLUMNS.join(', ')})
         VALUES ($1, $2, $3, $4, $4, ${COLUMNS.map((_, index) => `$${index + 5}`).join(', ')})
         ON CONFLICT (client_id, terminal_id) DO NOTHING`,
        [id, clientId, userId, at, ...STORE_FIELDS.map((field) => sealed[field])],
      )
    },

    /** Applies a change to a locked store, and returns the fields that it changes; `userId` is the store's new owner. */
    *update(before: Store, change: StoreChange & { userId?: string }, at: number): Act<StoreField[]> {
      const sealed = toColumns(before.id, change)
      yield* rows(
        'stores.update',
        `UPDATE stores SET user_id = coalesce($2, user_id), updated_at = $3,
           ${COLUMNS.map((column, index) => `${column} = coalesce($${index + 4}, ${column})`).join(', ')}
         WHERE id = $1`,
        [before.id, change.userId, at, ...STORE_FIELDS.map((field) => sealed[field])],
      )
      return changedFields(before, change)
    },
  }
}
