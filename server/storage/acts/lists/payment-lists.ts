import type { Stage } from '../../../announcements/announcement.ts'
import type { NewestPayment, PaymentFilter, PaymentLists } from '../../../payments/ports.ts'
import type { PageRequest } from '../../../platform/page.ts'
import type { StorageRules } from '../../rules.ts'
import { type PaymentRow, type SumRow, toSum } from '../../shared/payment-mapping.ts'
import { type Engine, row, rows } from '../act.ts'
import { createPaymentViews, createTrails, PAYMENT_COLUMNS } from '../payments/payment-records.ts'
import { createSumReads } from './day-sum-lists.ts'
import { type Conditions, createFilter } from './filter.ts'
import { boundsOf } from './numbered-rows.ts'
import { allRows, type ChooseRange, nextRows, placed, walkBack } from './walk-back.ts'

/** A partner's payments of one code: several banks may use it. */
const OF_ONE_CODE = 20

/** How an engine finds payments without a look at each. */
export interface PaymentSearch {
  /** The fields of a filter that an index answers, the one that finds the fewest first. */
  indexed: readonly (keyof PaymentFilter)[]
  /** Chooses the rows of a search. `path` is its indexed field. Undefined: the next rows. */
  choose(
    filter: PaymentFilter,
    path: keyof PaymentFilter | undefined,
    highest: number,
  ): ChooseRange | undefined
  /** Payments that one call adds up. Their sum is below 2^63. */
  addedUp: number
}

export function createPaymentLists(
  engine: Engine,
  rules: Pick<StorageRules, 'stages' | 'resultOf'>,
  { indexed, choose, addedUp }: PaymentSearch,
): PaymentLists {
  const { reading, scanned, paymentKeys } = engine
  const viewsOf = createPaymentViews(engine, rules)
  const { where, values } = createFilter(engine, conditions(engine), 4)
  /** The stages of announcements, each a bit. */
  const bits = rules.stages.map((stage, index) => `WHEN '${stage}' THEN ${1 << index}`).join(' ')

  return {
    ...createSumReads(engine, rules, addedUp),

    page: reading(function* (filter, page) {
      const path = indexed.find((name) => filter[name] !== undefined)
      const bounds = yield* boundsOf('payments', filter)
      const found = yield* walkBack(
        page,
        bounds,
        ({ from, below, limit }) =>
          rows<PaymentRow>(
            `lists.payments by ${path ?? 'number'}`,
            `SELECT ${PAYMENT_COLUMNS} FROM payments p WHERE p.number >= $1 AND p.number < $2 AND ${where(filter, path)}
             ORDER BY p.number DESC LIMIT $3`,
            [from, below, limit, ...values(filter)],
          ),
        chooser(choose, [filter, path, bounds.highest], scanned),
      )
      return placed({ rows: yield* viewsOf(found.rows), next: found.next }, ({ view }) => view)
    }),

    findByFtCode: reading(function* (ftCode) {
      const found = yield* rows<PaymentRow>(
        'lists.payments of a code',
        // SQLite joins tables of a CROSS JOIN in their order. It would go through all payments otherwise.
        `SELECT ${PAYMENT_COLUMNS} FROM (
           SELECT p.*, row_number() OVER (PARTITION BY p.client_id ORDER BY p.number DESC) AS place
           FROM partners c CROSS JOIN ${paymentKeys} k CROSS JOIN payments p
           WHERE k.client_id = c.client_id AND k.ft_code = $1 AND p.number = k.payment_number
         ) p WHERE p.place <= ${OF_ONE_CODE} ORDER BY p.client_id, p.number`,
        [ftCode],
      )
      return (yield* viewsOf(found)).map(({ view }) => view)
    }),

    addUp: reading(function* ({ clientId, from, until, leastStoreId, belowStoreId }, after) {
      const bounds = yield* boundsOf('payments', { from, until })
      const top = Math.min(bounds.below, after === undefined ? bounds.below : Number(after))
      const { from: least, below } = yield* nextRows('payments', addedUp)(top, bounds.least)
      const found = yield* rows<SumRow>('lists.payments added up', sumsText(bits, engine), [
        least,
        below,
        clientId,
        from,
        until,
        leastStoreId,
        belowStoreId,
      ])
      return {
        sums: found.map((sum) => toSum(rules, sum)),
        next: least > bounds.least ? String(least) : undefined,
      }
    }),

    ...createNewest(engine, rules),
  }
}

type NewestRow = Omit<NewestPayment, 'amount' | 'announcements'> & { rowId: number; amount: number }

/** The newest payments of all partners, for a screen that is read every second: nothing is unsealed. */
function createNewest(
  engine: Engine,
  rules: Pick<StorageRules, 'stages'>,
): Pick<PaymentLists, 'newest' | 'fates' | 'countAfter'> {
  const { reading, scanned, among } = engine
  const trailsOf = createTrails(engine, rules)

  function* newestRows<Row extends { rowId: number }>(name: string, select: string, page: PageRequest) {
    return yield* walkBack(
      page,
      yield* boundsOf('payments'),
      ({ from, below, limit }) =>
        rows<Row>(name, `${select} WHERE p.number >= $1 AND p.number < $2 ORDER BY p.number DESC LIMIT $3`, [
          from,
          below,
          limit,
        ]),
      nextRows('payments', scanned),
    )
  }

  return {
    newest: reading(function* (page) {
      const found = yield* newestRows<NewestRow>(
        'lists.payments newest',
        `SELECT p.number AS "rowId", p.id, p.client_id AS "clientId", p.store_id AS "storeId", p.amount,
           p.terminal_id AS "terminalID", p.received_at AS "receivedAt", s.store_name AS "storeName"
         FROM payments p JOIN stores s ON s.id = p.store_id`,
        page,
      )
      const trails = yield* trailsOf(found.rows)
      return placed(found, ({ rowId, amount, ...payment }) => ({
        ...payment,
        amount: String(amount),
        announcements: trails(rowId),
      }))
    }),

    fates: reading(function* (page) {
      const found = yield* newestRows<{ rowId: number; receivedAt: number }>(
        'lists.payments fates',
        'SELECT p.number AS "rowId", p.received_at AS "receivedAt" FROM payments p',
        page,
      )
      const announced = yield* rows<{ of: number; stage: Stage; playedAt: number | null }>(
        'lists.payments fates announced',
        `SELECT a.payment_number AS "of", a.stage, a.played_at AS "playedAt" FROM announcements a
         WHERE ${among('a.payment_number', '$1', 'bigint')}`,
        [found.rows.map(({ rowId }) => rowId)],
      )
      const byPayment = Map.groupBy(announced, (one) => one.of)
      return placed(found, ({ rowId, receivedAt }) => {
        const own = byPayment.get(rowId) ?? []
        const played = own.flatMap(({ stage, playedAt }) => (stage === 'played' ? (playedAt ?? []) : []))
        return {
          receivedAt,
          stages: [...new Set(own.map(({ stage }) => stage))],
          playedAt: played.length > 0 ? Math.min(...played) : undefined,
        }
      })
    }),

    countAfter: reading(function* (cursor, most) {
      const found = yield* row<{ count: number }>(
        'lists.payments after',
        'SELECT count(*) AS count FROM (SELECT 1 FROM payments WHERE number > $1 LIMIT $2) page',
        [Number(cursor), most],
      )
      return found?.count ?? 0
    }),
  }
}

/** Chooses the rows of a search by what tells the most of its filter. */
function chooser(
  choose: PaymentSearch['choose'],
  [filter, path, highest]: Parameters<PaymentSearch['choose']>,
  scanned: number,
): ChooseRange {
  const { stage } = filter
  if (path === 'id' || path === 'ftCode') return allRows
  if (stage === 'failed' || stage === 'expired' || stage === 'suppressed') return unsaid(stage, scanned)
  return choose(filter, path, highest) ?? nextRows('payments', scanned)
}

/** The rows of payments with an announcement that was not said. */
const unsaid = (stage: 'failed' | 'expired' | 'suppressed', scanned: number): ChooseRange =>
  function* (top, least) {
    const found = yield* row<{ highest: number | null }>(
      `lists.payments ${stage}`,
      `SELECT max(payment_number) AS highest FROM announcements
       WHERE stage IN ('failed', 'expired', 'suppressed') AND stage = $1 AND ${stage}_at IS NOT NULL
         AND payment_number < $2`,
      [stage, top],
    )
    const from = Math.max(least, (found?.highest ?? -1) + 1)
    return { from: Math.max(least, from - scanned), below: from }
  }

function sumsText(bits: string, { unindexed, ofPayment }: Engine): string {
  return `SELECT g.store_id AS "storeId", s.terminal_id AS "terminalID", s.store_name AS "storeName", g.stages, g.count,
      g.amount
    FROM (
      SELECT b.store_id, b.stages, count(*) AS count, CAST(sum(b.amount) AS text) AS amount
      FROM (
        SELECT p.store_id, p.amount, (
          SELECT sum(DISTINCT CASE a.stage ${bits} END) FROM announcements a WHERE ${ofPayment('p.number')}
        ) AS stages
        FROM payments p
        WHERE p.number >= $1 AND p.number < $2 AND ${unindexed}p.client_id = $3
          AND p.received_at >= $4 AND p.received_at < $5 AND p.store_id >= $6 AND p.store_id < $7
      ) b
      GROUP BY b.store_id, b.stages
    ) g JOIN stores s ON s.id = g.store_id`
}

function conditions({ paymentKeys, unindexed, ofPayment }: Engine): Conditions<PaymentFilter> {
  const announced = (condition: string) =>
    `EXISTS (SELECT 1 FROM announcements a WHERE ${ofPayment('p.number')} AND ${condition})`
  return {
    id: ['text', (id) => `p.id = ${id}`],
    ftCode: [
      'text',
      (ftCode, of) => `p.number IN (
        SELECT k.payment_number FROM ${paymentKeys} k WHERE k.client_id = ${of('clientId')} AND k.ft_code = ${ftCode}
      )`,
    ],
    traceTransfer: ['text', (trace) => `p.trace_transfer = ${trace} AND p.trace_transfer <> ''`],
    billNumber: ['text', (billNumber) => `p.bill_number = ${billNumber} AND p.bill_number <> ''`],
    storeId: ['text', (id) => `p.store_id = ${id}`],
    terminalID: ['text', (id) => `p.terminal_id = ${id}`],
    clientId: ['text', (id) => `${unindexed}p.client_id = ${id}`],
    bankCode: ['text', (code) => `p.bank_code = ${code}`],
    outcome: ['text', (outcome) => `p.outcome = ${outcome}`],
    code: ['text', (code) => `${code} IN (p.id, p.trace_transfer, p.bill_number)`],
    serial: [
      'text',
      (serial) => announced(`a.device_number = (SELECT d.number FROM devices d WHERE d.serial = ${serial})`),
    ],
    stage: ['text', (stage) => announced(`a.stage = ${stage}`)],
    minAmount: ['bigint', (amount) => `p.amount >= ${amount}`],
    maxAmount: ['bigint', (amount) => `p.amount <= ${amount}`],
    from: ['bigint', (at) => `p.received_at >= ${at}`],
    until: ['bigint', (at) => `p.received_at < ${at}`],
  }
}
