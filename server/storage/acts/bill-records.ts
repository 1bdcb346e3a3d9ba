import type { BillRecords } from '../../payments/ports.ts'
import { sealedFields } from '../shared/sealed-columns.ts'
import { type Act, type Engine, row, rows } from './act.ts'
import { speakersOf } from './device-rows.ts'
import { createStoreRows } from './store-rows.ts'

interface Known {
  id: string
  paidAt: number | null
}

type NewBill = Parameters<BillRecords['put']>[1]

export function createBillRecords(engine: Engine): BillRecords {
  const { writing, vault, lock } = engine
  const sealed = sealedFields(vault, 'bills')
  const stores = createStoreRows(engine)

  /** Changes nothing when the store has a bill of this number. */
  function* insert(bill: NewBill, at: number): Act<void> {
    yield* rows(
      'bills.insert',
      `INSERT INTO bills (id, store_id, bill_number, amount, qrcode, shown_until, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
       ON CONFLICT (store_id, bill_number) DO NOTHING`,
      [
        ...[bill.id, bill.storeId, bill.billNumber, Number(bill.amount)],
        ...[sealed.seal(bill.id, 'qrcode', bill.qrcode), bill.shownUntil, at],
      ],
    )
  }

  /** Locks the bill of this number: no payment pays it before the commit. Undefined when it was inserted. */
  function* lockOrInsert(bill: NewBill, at: number): Act<Known | undefined> {
    const ofNumber = 'FROM bills WHERE store_id = $1 AND bill_number = $2'
    const values = [bill.storeId, bill.billNumber]
    for (let isInserted = false; ; ) {
      const isLocked = yield* lock('bills.lock', `SELECT 1 ${ofNumber}`, values)
      const known = yield* row<Known>('bills.ofNumber', `SELECT id, paid_at AS "paidAt" ${ofNumber}`, values)
      // Another transaction may have stored it between the two statements, or may store it before the insert.
      if (known && isLocked) return isInserted && known.id === bill.id ? undefined : known
      if (!known) {
        yield* insert(bill, at)
        isInserted = true
      }
    }
  }

  return {
    put: writing(function* (clientId, bill, at) {
      const store = yield* stores.find(bill.storeId)
      if (store?.clientId !== clientId) return { kind: 'store_not_found' }
      const known = yield* lockOrInsert(bill, at)
      if (known && known.paidAt !== null) return { kind: 'already_paid' }
      if (known)
        yield* rows(
          'bills.update',
          'UPDATE bills SET amount = $2, qrcode = $3, shown_until = $4, updated_at = $5 WHERE id = $1',
          [
            ...[known.id, Number(bill.amount), sealed.seal(known.id, 'qrcode', bill.qrcode)],
            ...[bill.shownUntil, at],
          ],
        )
      const speakers = yield* speakersOf(bill.storeId)
      return { kind: 'stored', bill: { ...bill, id: known?.id ?? bill.id, paid: false }, store, speakers }
    }),
  }
}
