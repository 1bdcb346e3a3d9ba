import type { Store, StoreChange, StoreField } from '../../stores/store.ts'
import { createStoreMapping, type StoreRow } from '../shared/store-mapping.ts'
import { type Act, type Engine, row, rows } from './act.ts'

/** Reads and writes whole stores, inside the acts of every port. */
export function createStoreRows({
  vault,
  totalOf,
  among,
  raise,
}: Pick<Engine, 'vault' | 'totalOf' | 'among' | 'raise'>) {
  const { toStore, toColumns, toNewColumns, changedFields } = createStoreMapping(vault)
  const columns = `s.id, s.client_id AS "clientId", s.user_id AS "userId", s.terminal_id AS "terminalID",
    s.terminal_name AS "terminalName", s.store_name AS "storeName", s.owner_name AS "ownerName",
    s.identity_number AS "identityNumber", s.bank_name AS "bankName", s.bank_code AS "bankCode",
    s.bank_account_number AS "bankAccountNumber", s.bank_account_name AS "bankAccountName",
    s.phone_number AS "phoneNumber", s.static_qr_code AS "staticQRCode",
    ${totalOf('total_transaction', 's.number')} AS "totalTransaction",
    ${totalOf('total_amount', 's.number')} AS "totalAmount"`

  function* find(storeId: string): Act<Store | undefined> {
    const found = yield* row<StoreRow>('stores.find', `SELECT ${columns} FROM stores s WHERE s.id = $1`, [
      storeId,
    ])
    return found && toStore(found)
  }

  function* get(storeId: string): Act<Store> {
    const store = yield* find(storeId)
    if (!store) throw new Error('a store that is referred to always exists')
    return store
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
    get,

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

    /** Changes nothing when the partner has a store for this terminal. */
    *insert(
      { id, clientId, userId }: { id: string; clientId: string; userId: string },
      fields: StoreChange,
      at: number,
    ): Act<void> {
      const c = toNewColumns(id, fields)
      yield* rows(
        'stores.insert',
        `INSERT INTO stores (id, client_id, user_id, terminal_id, terminal_name, store_name, owner_name,
           identity_number, bank_name, bank_code, bank_account_number, bank_account_name, phone_number,
           static_qr_code, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15)
         ON CONFLICT (client_id, terminal_id) DO NOTHING`,
        [
          ...[id, clientId, userId, c.terminalID, c.terminalName, c.storeName, c.ownerName],
          ...[c.identityNumber, c.bankName, c.bankCode, c.bankAccountNumber, c.bankAccountName],
          ...[c.phoneNumber, c.staticQRCode, at],
        ],
      )
    },

    /** Invalidates the caches of stores in other processes. Call it last. */
    invalidate: () => raise('stores'),

    /** Applies a change to a locked store, and returns the fields that it changes; `userId` is the store's new owner. */
    *update(storeId: string, change: StoreChange & { userId?: string }, at: number): Act<StoreField[]> {
      const before = yield* get(storeId)
      const c = toColumns(storeId, change)
      yield* rows(
        'stores.update',
        `UPDATE stores SET user_id = coalesce($2, user_id), terminal_id = coalesce($3, terminal_id),
           terminal_name = coalesce($4, terminal_name), store_name = coalesce($5, store_name),
           owner_name = coalesce($6, owner_name), identity_number = coalesce($7, identity_number),
           bank_name = coalesce($8, bank_name), bank_code = coalesce($9, bank_code),
           bank_account_number = coalesce($10, bank_account_number),
           bank_account_name = coalesce($11, bank_account_name), phone_number = coalesce($12, phone_number),
           static_qr_code = coalesce($13, static_qr_code), updated_at = $14
         WHERE id = $1`,
        [
          ...[storeId, change.userId, c.terminalID, c.terminalName, c.storeName, c.ownerName],
          ...[c.identityNumber, c.bankName, c.bankCode, c.bankAccountNumber, c.bankAccountName],
          ...[c.phoneNumber, c.staticQRCode, at],
        ],
      )
      return changedFields(before, change)
    },
  }
}
