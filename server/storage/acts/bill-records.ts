import type { BillRecords } from '../../payments/ports.ts'
import { sealedFields } from '../shared/sealed-columns.ts'
import { type Act, type Engine, row, rows } from './act.ts'
import { speakersOf } from './device-rows.ts'
import { createStoreRows } from './store-rows.ts'

type NewBill = Parameters<BillRecords['put']>[1]

export function createBillRecords(engine: Engine): BillRecords {
  const { writing, vault } = engine
  const sealed = sealedFields(vault, 'bills')
  const stores = createStoreRows(engine)

  /** Changes nothing when the store has a bill of this number. */
  function* insert(bill: NewBill, at: number): Act<void> {
    yield* rows(
      'bills.insert',
      `INSERT INTO bills (id, store_id, bill_number, amount, qrcode, shown_until, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT DO NOTHING`,
      [
        ...[bill.id, bill.storeId, bill.billNumber, Number(bill.amount)],
        ...[sealed.seal(bill.id, 'qrcode', bill.qrcode), bill.shownUntil, at],
      ],
    )
  }

  function* update(id: string, bill: NewBill, at: number): Act<void> {
    yield* rows(
      'bills.update',
      'UPDATE bills SET amount = $2, qrcode = $3, shown_until = $4, updated_at = $5 WHERE id = $1',
      [id, Number(bill.amount), sealed.seal(id, 'qrcode', bill.qrcode), bill.shownUntil, at],
    )
  }

  return {
    put: writing(function* (clientId, bill, at) {
      const store = yield* stores.find(bill.storeId)
      if (store?.clientId !== clientId) return { kind: 'store_not_found' }
      yield* insert(bill, at)
      const { id, paidAt } = yield* lockBill(engine, bill)
      if (paidAt !== null) return { kind: 'already_paid' }
      yield* update(id, bill, at)
      const speakers = yield* speakersOf(bill.storeId)
      return { kind: 'stored', bill: { ...bill, id, paid: false }, store, speakers }
    }),
  }
}

/** Locks the bill of this number: no payment pays it before the commit. */
function* lockBill({ lock }: Pick<Engine, 'lock'>, { storeId, billNumber }: NewBill) {
  const ofNumber = 'FROM bills WHERE store_id = $1 AND bill_number = $2'
  const values = [storeId, billNumber]
  yield* lock('bills.lock', `SELECT 1 ${ofNumber}`, values)
  const text = `SELECT id, paid_at AS "paidAt" ${ofNumber}`
  const known = yield* row<{ id: string; paidAt: number | null }>('bills.ofNumber', text, values)
  if (!known) throw new Error('the bill was stored a line above')
  return known
}
