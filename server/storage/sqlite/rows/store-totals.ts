import { sql } from 'drizzle-orm'
import { bareWrite } from '../engine/bare.ts'
import type { Orm } from '../engine/database.ts'
import { createEmptying } from '../engine/hot-rows.ts'
import { storeTotals, storeTotalsRecent } from '../schema/schema.ts'

/** What payments have added up to, for each store. */
export interface StoreTotals {
  /** Counts one payment, inside its commit. */
  count(storeNumber: number, amount: number): void
}

/** Of the row of `stores` that a query reads; as text, because SQLite's integers are wider than a number. */
export const totalColumns = {
  totalTransaction: totalOf('total_transaction'),
  totalAmount: totalOf('total_amount'),
}

function totalOf(column: 'total_transaction' | 'total_amount') {
  const inTable = (table: 'store_totals' | 'store_totals_recent') =>
    `coalesce((SELECT t.${column} FROM ${table} t WHERE t.store_number = stores.number), 0)`
  return sql<string>`${sql.raw(`cast(${inTable('store_totals')} + ${inTable('store_totals_recent')} AS text)`)}`
}

export function createStoreTotals(orm: Orm): StoreTotals {
  const { totalTransaction, totalAmount } = storeTotalsRecent
  const add = bareWrite(
    orm,
    orm
      .insert(storeTotalsRecent)
      .values({
        storeNumber: sql`${sql.placeholder('storeNumber')}`,
        totalTransaction: 1,
        // The driver binds numbers as floats, and a sum with a float would lose đồng beyond 2^53.
        totalAmount: sql`cast(${sql.placeholder('amount')} as integer)`,
      })
      .onConflictDoUpdate({
        target: storeTotalsRecent.storeNumber,
        set: {
          totalTransaction: sql`${totalTransaction} + 1`,
          totalAmount: sql`${totalAmount} + excluded.total_amount`,
        },
      }),
  )
  const emptying = createEmptying(orm, storeTotalsRecent, storeTotals, ['total_transaction', 'total_amount'])

  return {
    count(storeNumber, amount) {
      add({ storeNumber, amount })
      emptying.noteWrite()
    },
  }
}
