import type Database from 'better-sqlite3'
import { createHotRows } from '../engine/hot-rows.ts'

/** Counts a payment in the totals of its store, inside the commit of the payment. */
export function createStoreTotals(sqlite: Database.Database): (storeRowId: number, amount: number) => void {
  // The driver binds numbers as floats, and a sum with a float would lose đồng beyond 2^53: hence the cast.
  const add = sqlite.prepare<[store: number, amount: number]>(
    `INSERT INTO store_totals_recent (store_number, total_transaction, total_amount)
     VALUES (?, 1, cast(? AS integer))
     ON CONFLICT (store_number) DO UPDATE SET
       total_transaction = total_transaction + 1,
       total_amount = total_amount + excluded.total_amount`,
  )
  const countWrite = createHotRows(sqlite, 'store_totals', 'store_number', {
    total_transaction: 'sum',
    total_amount: 'sum',
  })

  return function addToTotals(storeRowId, amount) {
    add.run(storeRowId, amount)
    countWrite()
  }
}
