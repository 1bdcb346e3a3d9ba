import { and, eq } from 'drizzle-orm'
import type { BillRecords } from '../../../payments/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { DeviceRows } from '../rows/device-rows.ts'
import { type StoreRows, storeColumns } from '../rows/store-rows.ts'
import { bills, stores } from '../schema/schema.ts'

export function createBillRecords(
  { orm, writing }: OpenDatabase,
  vault: Vault,
  rows: DeviceRows,
  storeRows: StoreRows,
): BillRecords {
  const sealed = sealedFields(vault, 'bills')
  return {
    put: writing((clientId, bill, at) => {
      const owned = and(eq(stores.id, bill.storeId), eq(stores.clientId, clientId))
      const storeRow = orm.select(storeColumns).from(stores).where(owned).get()
      if (!storeRow) return { kind: 'store_not_found' }
      const key = and(eq(bills.storeId, bill.storeId), eq(bills.billNumber, bill.billNumber))
      const known = orm.select({ id: bills.id, paidAt: bills.paidAt }).from(bills).where(key).get()
      if (known && known.paidAt !== null) return { kind: 'already_paid' }
      const id = known?.id ?? bill.id
      const fields = {
        qrcode: sealed.seal(id, 'qrcode', bill.qrcode),
        amount: Number(bill.amount),
        shownUntil: bill.shownUntil,
        updatedAt: at,
      }
      const { storeId, billNumber } = bill
      const added = { id, storeId, billNumber, createdAt: at, ...fields }
      if (known) orm.update(bills).set(fields).where(eq(bills.id, id)).run()
      else orm.insert(bills).values(added).run()
      return {
        kind: 'stored',
        bill: { ...bill, id, paid: false },
        store: storeRows.toStore(storeRow),
        speakers: rows.speakersOf(bill.storeId),
      }
    }),
  }
}
