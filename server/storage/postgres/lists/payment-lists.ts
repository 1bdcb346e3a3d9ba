import type { PaymentFilter, PaymentLists } from '../../../payments/ports.ts'
import { PAYMENT_COLUMNS } from '../../acts/payments/columns.ts'
import type { StorageRules } from '../../rules.ts'
import { type PaymentRow, type SumRow, toSum } from '../../shared/payment-mapping.ts'
import {
  allRows,
  type ChooseRange,
  nextRows,
  numbersBetween,
  placed,
  type Window,
  walkBack,
} from '../../shared/walk-back.ts'
import { createReadViews } from '../acts/payment/payment-views.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { endsOf, INDEXED, lowestAt, SCANNED, scan } from './numbered-rows.ts'

/** A partner's payments of one code: several banks may use it. */
const OF_ONE_CODE = 20

/**
 * What an index finds, with the condition on its place in the statement; the first of a filter is used. Only a condition
 * that is always there lets PostgreSQL plan for the index.
 */
const PATHS = {
  id: 'p.id = $10',
  ftCode: `p.number IN (SELECT k.payment_number FROM payment_keys k WHERE k.client_id = $4 AND k.ft_code = $11)`,
  traceTransfer: "p.trace_transfer = $12 AND p.trace_transfer <> ''",
  billNumber: "p.bill_number = $13 AND p.bill_number <> ''",
  storeId: 'p.store_id = $5',
  terminalID: 'p.terminal_id = $6',
  clientId: 'p.client_id = $4',
} as const satisfies { [F in keyof PaymentFilter]: string }

type Path = keyof typeof PATHS
const PATH_NAMES = [
  'id',
  'ftCode',
  'traceTransfer',
  'billNumber',
  'storeId',
  'terminalID',
  'clientId',
] as const

export function createPaymentLists(
  { read, vault }: PostgresDatabase,
  rules: Pick<StorageRules, 'stages'>,
): PaymentLists {
  const readViews = createReadViews(vault, rules)

  const range = async (filter: Pick<PaymentFilter, 'from' | 'until'>) =>
    numbersBetween(filter, await endsOf(read, 'payments'), lowestAt(read, 'payments'))

  /** The rows of payments with an announcement that was not said. */
  const unsaid =
    (stage: string): ChooseRange =>
    async (top, least) => {
      const [row] = await read<{ highest: number | null }>(
        'lists.payments unsaid',
        `SELECT max(payment_number) AS highest FROM announcements
         WHERE stage IN ('failed', 'expired', 'suppressed') AND stage = $1 AND payment_number < $2`,
        [stage, top],
      )
      return scan(Math.max(least, (row?.highest ?? -1) + 1), least)
    }

  function chooser({ stage }: PaymentFilter, path: Path | undefined): ChooseRange {
    if (path === 'id' || path === 'ftCode') return allRows
    if (stage === 'failed' || stage === 'expired' || stage === 'suppressed') return unsaid(stage)
    return path === undefined || path === 'clientId' ? scan : nextRows(INDEXED)
  }

  return {
    async page(filter, page) {
      const { clientId, storeId, terminalID, serial, code, id, ftCode, traceTransfer, billNumber } = filter
      const { bankCode, outcome, stage, minAmount, maxAmount, from, until } = filter
      const path = PATH_NAMES.find((name) => filter[name] !== undefined)
      const rowsIn = (window: Window) =>
        read<PaymentRow>(
          `lists.payments ${path ?? 'all'}`,
          `SELECT ${PAYMENT_COLUMNS} FROM payments p
           WHERE p.number >= $1 AND p.number < $2 AND ${path ? PATHS[path] : 'true'}
             AND ($4::text IS NULL OR p.client_id = $4)
             AND ($5::text IS NULL OR p.store_id = $5)
             AND ($6::text IS NULL OR p.terminal_id = $6)
             AND ($7::text IS NULL OR EXISTS (
               SELECT 1 FROM announcements a WHERE a.payment_number = p.number
                 AND a.device_number = (SELECT d.number FROM devices d WHERE d.serial = $7)
             ))
             AND ($8::text IS NULL OR $8 IN (p.id, p.trace_transfer, p.bill_number))
             AND ($9::text IS NULL OR EXISTS (
               SELECT 1 FROM announcements a WHERE a.payment_number = p.number AND a.stage = $9
             ))
             AND ($10::text IS NULL OR p.id = $10)
             AND ($11::text IS NULL OR p.ft_code = $11)
             AND ($12::text IS NULL OR p.trace_transfer = $12)
             AND ($13::text IS NULL OR p.bill_number = $13)
             AND ($14::text IS NULL OR p.bank_code = $14)
             AND ($15::text IS NULL OR p.outcome = $15)
             AND ($16::bigint IS NULL OR p.amount >= $16)
             AND ($17::bigint IS NULL OR p.amount <= $17)
             AND ($18::bigint IS NULL OR p.received_at >= $18)
             AND ($19::bigint IS NULL OR p.received_at < $19)
           ORDER BY p.number DESC LIMIT $3`,
          [
            ...[window.from, window.below, window.limit],
            ...[clientId, storeId, terminalID, serial, code, stage, id, ftCode, traceTransfer, billNumber],
            ...[bankCode, outcome, minAmount, maxAmount, from, until],
          ],
        )
      const { rows, next } = await walkBack(page, await range(filter), rowsIn, chooser(filter, path))
      return placed({ rows: await readViews(read, rows), next }, ({ view }) => view)
    },

    async findByFtCode(ftCode) {
      const rows = await read<PaymentRow>(
        'lists.payments code',
        `SELECT ${PAYMENT_COLUMNS} FROM partners c
           CROSS JOIN LATERAL (
             SELECT p.* FROM payment_keys k JOIN payments p ON p.number = k.payment_number
             WHERE k.client_id = c.client_id AND k.ft_code = $1
             ORDER BY p.number DESC LIMIT ${OF_ONE_CODE}
           ) p
         ORDER BY p.client_id, p.number`,
        [ftCode],
      )
      return (await readViews(read, rows)).map(({ view }) => view)
    },

    async addUp({ clientId, from, until, leastStoreId, belowStoreId }, after) {
      const bounds = await range({ from, until })
      const below = Math.min(bounds.below, after === undefined ? bounds.below : Number(after))
      const least = Math.max(bounds.least, below - SCANNED)
      const rows = await read<SumRow>(
        'lists.payments sums',
        `SELECT g.store_id AS "storeId", s.terminal_id AS "terminalID", s.store_name AS "storeName", g.stages,
           g.count, g.amount
         FROM (
           SELECT b.store_id, b.stages, count(*) AS count, sum(b.amount)::text AS amount
           FROM (
             SELECT p.store_id, p.amount, (
               SELECT string_agg(DISTINCT a.stage, ',' ORDER BY a.stage) FROM announcements a
               WHERE a.payment_number = p.number
             ) AS stages
             FROM payments p
             WHERE p.number >= $1 AND p.number < $2 AND p.client_id = $3
               AND p.received_at >= $4 AND p.received_at < $5 AND p.store_id >= $6 AND p.store_id < $7
           ) b
           GROUP BY b.store_id, b.stages
         ) g JOIN stores s ON s.id = g.store_id`,
        [least, below, clientId, from, until, leastStoreId, belowStoreId],
      )
      return {
        sums: rows.map((row) => toSum(rules, row)),
        next: least > bounds.least ? String(least) : undefined,
      }
    },
  }
}
