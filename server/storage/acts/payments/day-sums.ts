import { QUARTER_MS, type ResultSum } from '../../../payments/day-sum.ts'
import type { PaymentLists, PaymentRecords, StoreSum } from '../../../payments/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { nextRows } from '../lists/walk-back.ts'

/** Payments that one act adds up, in some milliseconds. */
const ADDED = 256
/**
 * A payment is added up no sooner after it came. Most are said by then, and in PostgreSQL no transaction goes on that could
 * still store one with a lower number: its statements end after seconds.
 */
const SETTLES_MS = 30_000
/** Shops that one read finds of each quarter of an hour. */
export const SUMMED = 51

const KEPT = ['played', 'missed', 'failed', 'suppressed'] as const
type Kept = (typeof KEPT)[number]

/** A payment as it is added up. */
interface Member {
  number: number
  clientId: string
  storeNumber: number
  receivedAt: number
  amount: number
  stages: number | null
}

/** Sums as they are stored. The amount is a text: it may be above 2^53. */
type SumRow = { storeNumber: number; count: number; amount: string } & Record<Kept, number>

type Rules = Pick<StorageRules, 'stages' | 'resultOf'>

/** What became of a payment, by the stages of its announcements, each a bit. */
const resultBy =
  ({ stages, resultOf }: Rules) =>
  (bits: number | null) =>
    resultOf(stages.filter((_, index) => ((bits ?? 0) & (1 << index)) !== 0))

const bitsOf = ({ stages }: Rules, { ofPayment }: Engine) =>
  `(SELECT sum(DISTINCT CASE a.stage ${stages.map((stage, index) => `WHEN '${stage}' THEN ${1 << index}`).join(' ')} END)
    FROM announcements a WHERE ${ofPayment('p.number')})`

const STATE = 'SELECT up_to AS "upTo", revision FROM payment_sums_state WHERE id = 1'

/** Keeps the sums of payments by quarter of an hour and shop, in which each payment is once. */
export function createSumUp(engine: Engine, rules: Rules): PaymentRecords['sumUp'] {
  const { writing, lock, perRow, among } = engine
  const resultOf = resultBy(rules)
  const member = `p.number, p.client_id AS "clientId", s.number AS "storeNumber", p.received_at AS "receivedAt", p.amount,
    ${bitsOf(rules, engine)} AS stages`
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
      } as const),
    },
    (one, { from }) => `INSERT INTO payment_sums AS p
        (client_id, quarter, store_number, count, amount, played, missed, failed, suppressed)
      SELECT ${one.clientId}, ${one.quarter}, ${one.storeNumber}, ${one.count}, CAST(${one.amount} AS bigint),
        ${one.played}, ${one.missed}, ${one.failed}, ${one.suppressed} ${from === '' ? 'WHERE true' : from}
      ON CONFLICT (client_id, quarter, store_number) DO UPDATE SET ${['count', 'amount', ...KEPT]
        .map((name) => `${name} = p.${name} + excluded.${name}`)
        .join(', ')}`,
  )
  const addOpen = perRow(
    'sums.addOpen',
    { number: 'bigint' },
    (one, { from }) => `INSERT INTO payment_sums_open (number) SELECT ${one.number} ${from}`,
  )

  /** Those that were passed over: a speaker may still say them. Of a deleted one, there is its number alone. */
  function* readOpen(): Act<(Member | { number: number; clientId: null })[]> {
    return yield* rows(
      'sums.open',
      `SELECT o.number, p.client_id AS "clientId", s.number AS "storeNumber", p.received_at AS "receivedAt", p.amount,
         ${bitsOf(rules, engine)} AS stages
       FROM (SELECT number FROM payment_sums_open ORDER BY number LIMIT ${ADDED}) o
         LEFT JOIN payments p ON p.number = o.number LEFT JOIN stores s ON s.id = p.store_id`,
    )
  }

  return writing(function* (at) {
    yield* lock('sums.lock', 'SELECT 1 FROM payment_sums_state WHERE id = 1', [])
    const state = yield* row<{ upTo: number }>('sums.state', STATE)
    const next = yield* rows<Member>(
      'sums.next',
      `SELECT ${member} FROM payments p JOIN stores s ON s.id = p.store_id
       WHERE p.number > $1 ORDER BY p.number LIMIT ${ADDED}`,
      [state?.upTo ?? 0],
    )
    const young = next.findIndex(({ receivedAt }) => receivedAt > at - SETTLES_MS)
    const taken = young === -1 ? next : next.slice(0, young)
    const isOpen = ({ stages }: Member) => resultOf(stages) === 'open'
    const ended = (yield* readOpen()).filter((one) => one.clientId === null || !isOpen(one))
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
    return taken.length === ADDED
  })
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
      const none = { count: 0, amount: 0, played: 0, missed: 0, failed: 0, suppressed: 0 }
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

/** The reads of the sums. */
export function createSumReads(
  engine: Engine,
  rules: Rules,
  addedUp: number,
): Pick<PaymentLists, 'sumState' | 'summed' | 'unsummed'> {
  const { reading, perRow } = engine
  const resultOf = resultBy(rules)
  const ofQuarter = perRow(
    'lists.payments summed',
    { clientId: 'text', quarter: 'bigint', least: 'bigint', below: 'bigint' },
    (one, { each }) => `SELECT q.* FROM ${each} (
        SELECT s.store_number AS "storeNumber", s.count, CAST(s.amount AS text) AS amount, s.played, s.missed, s.failed,
          s.suppressed
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
      ...group,
      ...{ amount: BigInt(amount), played: 0, missed: 0, failed: 0, suppressed: 0, open: 0 },
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

export type { ResultSum }
