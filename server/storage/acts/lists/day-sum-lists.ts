import { NO_PAYMENTS, QUARTER_MS } from '../../../payments/day-sum.ts'
import type { PaymentLists, StoreSum } from '../../../payments/ports.ts'
import { type Engine, row, rows } from '../act.ts'
import { bitsOf, type Kept, resultBy, STATE, type SumRules } from '../payments/day-sums.ts'
import { nextRows } from './walk-back.ts'

/** Shops that one read finds of each quarter of an hour. */
export const SUMMED = 51

/** Sums as they are stored. The amount is a text: it may be above 2^53. */
type SumRow = { storeNumber: number; count: number; amount: string } & Record<Kept, number>

/** The reads of the sums. */
export function createSumReads(
  engine: Engine,
  rules: SumRules,
  addedUp: number,
): Pick<PaymentLists, 'sumState' | 'summed' | 'unsummed'> {
  const { reading, perRow } = engine
  const resultOf = resultBy(rules)
  const ofQuarter = perRow(
    'lists.payments summed',
    { clientId: 'text', quarter: 'bigint', least: 'bigint', below: 'bigint' },
    (one, { each }) => `SELECT q.* FROM ${each} (
        SELECT s.store_number AS "storeNumber", s.count, CAST(s.amount AS text) AS amount, s.played, s.missed, s.failed,
          s.suppressed, s.delivered
        FROM payment_sums s
        WHERE s.client_id = ${one.clientId} AND s.quarter = ${one.quarter}
          AND s.store_number >= ${one.least} AND s.store_number < ${one.below}
        ORDER BY s.store_number DESC LIMIT ${SUMMED}
      ) q`,
  )
  const grouped = (
    which: string,
  ) => `SELECT s.number AS "storeNumber", s.client_id AS "clientId", g.stages, g.count, g.amount
    FROM (
      SELECT b.store_id, b.stages, count(*) AS count, CAST(sum(b.amount) AS text) AS amount
      FROM (
        SELECT p.store_id, p.amount, ${bitsOf(rules, engine)} AS stages FROM payments p
        WHERE ${which} AND p.received_at >= $1 AND p.received_at < $2
      ) b GROUP BY b.store_id, b.stages
    ) g JOIN stores s ON s.id = g.store_id`

  type Group = { storeNumber: number; clientId: string; stages: number | null; count: number; amount: string }

  const toSum = ({ stages, amount, ...group }: Group): StoreSum & { clientId: string } => {
    const sum: StoreSum & { clientId: string } = {
      ...{ ...NO_PAYMENTS, ...group, amount: BigInt(amount) },
    }
    const result = resultOf(stages)
    if (result) sum[result] = group.count
    return sum
  }

  return {
    sumState: reading(function* () {
      return (yield* row<{ upTo: number; revision: number }>('sums.state', STATE)) ?? { upTo: 0, revision: 0 }
    }),

    summed: reading(function* ({ clientId, from, until, least, below }) {
      const [first, end] = [Math.floor(from / QUARTER_MS), Math.floor(until / QUARTER_MS)]
      const quarters = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
      const found = yield* ofQuarter<SumRow>(quarters.map((quarter) => ({ clientId, quarter, least, below })))
      return found.map(({ amount, ...sum }) => ({ ...sum, amount: BigInt(amount), open: 0 }))
    }),

    unsummed: reading(function* ({ from, until, upTo }, after) {
      // Not by the time: the clock may have been set back. There are few.
      const least = upTo + 1
      const found: Group[] = []
      if (after === undefined)
        found.push(
          ...(yield* rows<Group>(
            'lists.payments not added up yet, open',
            grouped('p.number IN (SELECT o.number FROM payment_sums_open o)'),
            [from, until],
          )),
        )
      const top = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
      const range = yield* nextRows('payments', addedUp)(top, least)
      if (range.below > range.from)
        found.push(
          ...(yield* rows<Group>(
            'lists.payments not added up yet',
            grouped('p.number >= $3 AND p.number < $4'),
            [from, until, range.from, range.below],
          )),
        )
      return { sums: found.map(toSum), next: range.from > least ? String(range.from) : undefined }
    }),
  }
}
