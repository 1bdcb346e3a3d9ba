import { QUARTER_MS } from '../../../payments/day-sum.ts'
import type { PaymentRecords } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, row, rows } from '../act.ts'

/** Payments that one act adds up at most: their sum is below 2^53. In SQLite it holds the writer for some milliseconds. */
const MOST_ADDED = 900
/**
 * A payment is added up no sooner after it came. Most are said by then, and in PostgreSQL no transaction goes on that could
 * still store one with a lower number: its statements end after seconds.
 */
const SETTLES_MS = 30_000

const KEPT = ['played', 'missed', 'failed', 'suppressed', 'delivered'] as const
export type Kept = (typeof KEPT)[number]

/** A payment as it is added up. */
interface Member {
  number: number
  clientId: string
  storeNumber: number
  receivedAt: number
  amount: number
  stages: number | null
}

export type SumRules = Pick<StorageRules, 'stages' | 'resultOf'>

/** What became of a payment, by the stages of its announcements, each a bit. */
export const resultBy =
  ({ stages, resultOf }: SumRules) =>
  (bits: number | null) =>
    resultOf(stages.filter((_, index) => ((bits ?? 0) & (1 << index)) !== 0))

export const bitsOf = ({ stages }: SumRules, { ofPayment }: Engine) =>
  `(SELECT sum(DISTINCT CASE a.stage ${stages.map((stage, index) => `WHEN '${stage}' THEN ${1 << index}`).join(' ')} END)
    FROM announcements a WHERE ${ofPayment('p.number')})`

/** Reads how far the sums are. */
export const STATE = 'SELECT up_to AS "upTo", revision FROM payment_sums_state WHERE id = 1'

/** Keeps the sums of payments by quarter of an hour and shop, in which each payment is once. */
export function createSumUp(engine: Engine, rules: SumRules): PaymentRecords['sumUp'] {
  const { writing, lock, perRow, among, scanned } = engine
  const atOnce = Math.min(MOST_ADDED, Math.floor(scanned / 4))
  const resultOf = resultBy(rules)
  const stages = bitsOf(rules, engine)
  const member = `p.number, p.client_id AS "clientId", s.number AS "storeNumber", p.received_at AS "receivedAt", p.amount,
    ${stages} AS stages`
  const add = perRow(
    'sums.add',
    {
      ...({ clientId: 'text', quarter: 'bigint', storeNumber: 'bigint', count: 'bigint' } as const),
      ...({
        amount: 'bigint',
        played: 'bigint',
        missed: 'bigint',
        failed: 'bigint',
        suppressed: 'bigint',
        delivered: 'bigint',
      } as const),
    },
    (one, { from }) => `INSERT INTO payment_sums AS p
        (client_id, quarter, store_number, count, amount, ${KEPT.join(', ')})
      SELECT ${one.clientId}, ${one.quarter}, ${one.storeNumber}, ${one.count}, CAST(${one.amount} AS bigint),
        ${KEPT.map((name) => one[name]).join(', ')} ${from === '' ? 'WHERE true' : from}
      ON CONFLICT (client_id, quarter, store_number) DO UPDATE SET ${['count', 'amount', ...KEPT]
        .map((name) => `${name} = p.${name} + excluded.${name}`)
        .join(', ')}`,
  )
  const addOpen = perRow(
    'sums.addOpen',
    { number: 'bigint' },
    (one, { from }) => `INSERT INTO payment_sums_open (number) SELECT ${one.number} ${from}`,
  )

  return writing(function* (at) {
    yield* lock('sums.lock', 'SELECT 1 FROM payment_sums_state WHERE id = 1', [])
    const state = yield* row<{ upTo: number }>('sums.state', STATE)
    const next = yield* rows<Member>(
      'sums.next',
      `SELECT ${member} FROM payments p JOIN stores s ON s.id = p.store_id
       WHERE p.number > $1 ORDER BY p.number LIMIT ${atOnce}`,
      [state?.upTo ?? 0],
    )
    const young = next.findIndex(({ receivedAt }) => receivedAt > at - SETTLES_MS)
    const taken = young === -1 ? next : next.slice(0, young)
    const isOpen = (one: Member) => resultOf(one.stages) === 'open'
    const ended = (yield* readOpen(stages, atOnce)).filter((one) => one.clientId === null || !isOpen(one))
    const last = taken.at(-1)
    if (!last && ended.length === 0) return false
    const settled = [...taken.filter((one) => !isOpen(one)), ...ended.filter((one) => one.clientId !== null)]
    yield* add(sumsOf(settled, resultOf))
    yield* addOpen(taken.filter(isOpen).map(({ number }) => ({ number })))
    yield* rows(
      'sums.noLongerOpen',
      `DELETE FROM payment_sums_open WHERE ${among('number', '$1', 'bigint')}`,
      [ended.map(({ number }) => number)],
    )
    yield* rows(
      'sums.move',
      'UPDATE payment_sums_state SET up_to = coalesce($1, up_to), revision = revision + 1 WHERE id = 1',
      [last?.number],
    )
    return taken.length === atOnce
  })
}

/** Those that were passed over: a speaker may still say them. Of a deleted one, there is its number alone. */
function* readOpen(stages: string, limit: number): Act<(Member | { number: number; clientId: null })[]> {
  return yield* rows(
    'sums.open',
    `SELECT o.number, p.client_id AS "clientId", s.number AS "storeNumber", p.received_at AS "receivedAt", p.amount,
       ${stages} AS stages
     FROM (SELECT number FROM payment_sums_open ORDER BY number LIMIT ${limit}) o
       LEFT JOIN payments p ON p.number = o.number LEFT JOIN stores s ON s.id = p.store_id`,
  )
}

/** Deletes sums of a time whose payments are deleted: of each partner one quarter of an hour. */
export function* dropSums(before: number): Act<void> {
  const least = yield* rows<{ clientId: string; quarter: number | null }>(
    'sums.least',
    `SELECT client_id AS "clientId",
       (SELECT min(s.quarter) FROM payment_sums s WHERE s.client_id = partners.client_id) AS quarter FROM partners`,
  )
  const below = Math.floor(before / QUARTER_MS)
  for (const { clientId, quarter } of least)
    if (quarter !== null && quarter < below)
      yield* rows('sums.drop', 'DELETE FROM payment_sums WHERE client_id = $1 AND quarter = $2', [
        clientId,
        quarter,
      ])
}

/** The sums of payments by partner, quarter of an hour and shop, and under 0 those of all shops, in the order of their key. */
function sumsOf(members: readonly Member[], resultOf: ReturnType<typeof resultBy>) {
  const sums = new Map<
    string,
    Record<Kept | 'quarter' | 'storeNumber' | 'count', number> & { clientId: string; amount: number }
  >()
  for (const { clientId, receivedAt, storeNumber, amount, stages } of members) {
    const quarter = Math.floor(receivedAt / QUARTER_MS)
    const result = resultOf(stages)
    for (const store of [0, storeNumber]) {
      const key = `${clientId} ${quarter} ${store}`
      const none = { count: 0, amount: 0, played: 0, missed: 0, failed: 0, suppressed: 0, delivered: 0 }
      const sum = sums.get(key) ?? { clientId, quarter, storeNumber: store, ...none }
      sum.count += 1
      // So many payments are below 2^53.
      sum.amount += amount
      if (result !== undefined && result !== 'open') sum[result] += 1
      sums.set(key, sum)
    }
  }
  return [...sums.values()].sort((a, b) => a.quarter - b.quarter || a.storeNumber - b.storeNumber)
}
