import { blob, integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** See rows/payment-digests.ts. */
export const paymentDigests = sqliteTable('payment_digests', {
  segment: integer('segment').primaryKey(),
  leastAmount: integer('least_amount').notNull(),
  mostAmount: integer('most_amount').notNull(),
  keys: blob('keys', { mode: 'buffer' }).notNull(),
})
