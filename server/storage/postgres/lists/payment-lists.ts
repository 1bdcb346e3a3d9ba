import type { PaymentLists } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { PaymentRow } from '../../shared/payment-mapping.ts'
import { numbersBetween, placed, walkBack } from '../../shared/walk-back.ts'
import { createReadViews, PAYMENT_COLUMNS } from '../acts/payment/payment-views.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { firstRow, highestRowId } from './numbered-rows.ts'

/** A partner's payments of one code: several banks may use it. */
const OF_ONE_CODE = 20

export function createPaymentLists(
  { read, vault }: PostgresDatabase,
  rules: Pick<StorageRules, 'stages'>,
): PaymentLists {
  const readViews = createReadViews(vault, rules)

  return {
    async page(filter, page) {
      const { clientId, storeId, terminalID, serial, code, from, until } = filter
      const bounds = await numbersBetween(
        filter,
        await highestRowId(read, 'payments'),
        firstRow(read, 'payments'),
      )
      const { rows, next } = await walkBack(page, bounds, (window) =>
        read<PaymentRow>(
          'lists.payments',
          `SELECT ${PAYMENT_COLUMNS} FROM payments p
           WHERE p.number >= $1 AND p.number < $2
             AND ($4::text IS NULL OR p.client_id = $4)
             AND ($5::text IS NULL OR p.store_id = $5)
             AND ($6::text IS NULL OR p.terminal_id = $6)
             AND ($7::text IS NULL OR EXISTS (
               SELECT 1 FROM announcements a WHERE a.payment_number = p.number
                 AND a.device_number = (SELECT d.number FROM devices d WHERE d.serial = $7)
             ))
             AND ($8::text IS NULL OR $8 IN (p.id, p.trace_transfer, p.bill_number))
             AND ($9::bigint IS NULL OR p.received_at >= $9)
             AND ($10::bigint IS NULL OR p.received_at < $10)
           ORDER BY p.number DESC LIMIT $3`,
          [
            ...[window.from, window.below, window.limit],
            ...[clientId, storeId, terminalID, serial, code, from, until],
          ],
        ),
      )
      return placed({ rows: await readViews(read, rows), next }, ({ view }) => view)
    },

    async findByFtCode(ftCode) {
      const rows = await read<PaymentRow>(
        'lists.payments code',
        `SELECT ${PAYMENT_COLUMNS} FROM partners c
           CROSS JOIN LATERAL (
             SELECT payment_number FROM payment_keys k WHERE k.client_id = c.client_id AND k.ft_code = $1
             ORDER BY payment_number DESC LIMIT ${OF_ONE_CODE}
           ) k
           JOIN payments p ON p.number = k.payment_number
         ORDER BY p.client_id, p.number`,
        [ftCode],
      )
      return (await readViews(read, rows)).map(({ view }) => view)
    },
  }
}
