import { sql } from 'drizzle-orm'
import type { Orm } from '../engine/database.ts'
import { createHotRows } from '../engine/hot-rows.ts'
import { storeTotals, storeTotalsRecent } from '../schema/schema.ts'

/** The number and the sum of a store's payments: columns for a query on `stores`. They are texts, because SQLite's integers are wider than a number. */
export const totalColumns = {
  totalTransaction: totalOf('total_transaction'),
  totalAmount: totalOf('total_amount'),
}

function totalOf(column: 'total_transaction' | 'total_amount') {
  const inTable = (table: 'store_totals' | 'store_totals_recent') =>
    `coalesce((SELECT t.${column} FROM ${table} t WHERE t.store_number = stores.number), 0)`
  return sql<string>`${sql.raw(`cast(${inTable('store_totals')} + ${inTable('store_totals_recent')} AS text)`)}`
}

/** Counts a payment in the totals of its store, inside the commit of the payment. */
export function createStoreTotals(orm: Orm): (storeRowId: number, amount: number) => void {
  // The driver binds numbers as floats, and a sum with a float would lose đồng beyond 2^53: hence the cast.
  const add = orm.$client.prepare<[store: number, amount: number]>(
    `INSERT INTO store_totals_recent (store_number, total_transaction, total_amount)
     VALUES (?, 1, cast(? AS integer))
     ON CONFLICT (store_number) DO UPDATE SET
       total_transaction = total_transaction + 1,
       total_amount = total_amount + excluded.total_amount`,
  )
  const countWrite = createHotRows(orm, storeTotalsRecent, storeTotals, ['total_transaction', 'total_amount'])

  return function addToTotals(storeRowId, amount) {
    add.run(storeRowId, amount)
    countWrite()
  }
}
