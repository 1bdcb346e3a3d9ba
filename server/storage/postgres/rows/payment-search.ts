import type { PaymentFilter } from '../../../payments/ports.ts'
import { rowsWith } from '../../acts/lists/numbered-rows.ts'
import type { PaymentSearch } from '../../acts/lists/payment-lists.ts'

/** Rows that one read looks at behind an index: a millisecond of the server. */
const INDEXED = 1_000

/** The column of each field that has an index of its own. */
const COLUMNS: Partial<Record<keyof PaymentFilter, string>> = {
  traceTransfer: 'trace_transfer',
  billNumber: 'bill_number',
  storeId: 'store_id',
  terminalID: 'terminal_id',
  clientId: 'client_id',
}

/** PostgreSQL has an index for each of these fields: there another process pays for them. */
export const PAYMENT_SEARCH: PaymentSearch = {
  indexed: ['id', 'ftCode', 'traceTransfer', 'billNumber', 'storeId', 'terminalID', 'clientId'],
  choose(filter, path) {
    const column = path && COLUMNS[path]
    return path && column ? rowsWith('payments', column, filter[path], INDEXED) : undefined
  },
  addedUp: 10_000,
}
