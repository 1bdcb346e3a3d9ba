import type { PaymentSearch } from '../../acts/lists/payment-lists.ts'
import { nextRows } from '../../acts/lists/walk-back.ts'

/** Rows in which one read looks for what an index finds. */
const INDEXED = 250_000

/** PostgreSQL has an index for each of these fields: there another process pays for them. */
export const PAYMENT_SEARCH: PaymentSearch = {
  indexed: ['id', 'ftCode', 'traceTransfer', 'billNumber', 'storeId', 'terminalID', 'clientId'],
  choose: (_, path) =>
    path === undefined || path === 'clientId' ? undefined : nextRows('payments', INDEXED),
  addedUp: 10_000,
}
