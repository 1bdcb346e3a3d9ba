import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { sealed } from './sealed-type.ts'

/** See rows/deleted-payments.ts. */
export const deletedPayments = sqliteTable('deleted_payments', {
  rowId: integer('number').primaryKey(),
  id: text('id').notNull(),
  clientId: text('client_id').notNull(),
  ftCode: text('ft_code').notNull(),
  dedupeKey: text('dedupe_key').notNull(),
  contentHash: sealed('content_hash'),
  receivedAt: integer('received_at').notNull(),
})
