import type Database from 'better-sqlite3'
import type { PaymentFilter } from '../../../payments/ports.ts'
import type { ChooseRange } from '../../acts/lists/walk-back.ts'
import { SQLITE } from '../engine/act-engine.ts'
import { addToBloom, BLOOM_BYTES, bitsOf, mayHave } from '../engine/bloom.ts'

/** Payments of one digest. Their keys fit into the filter, and the digest into one page of SQLite. */
const SEGMENT = 512
/** Digests that one read looks at: half a millisecond. */
const DIGESTS_LOOKED_AT = 256
/** Digests that a start looks for in one commit. */
const LOOKED_FOR = 500

/** The columns that a digest knows, in the order of a key's name, with the filter's name. */
const COLUMNS = {
  client_id: 'clientId',
  store_id: 'storeId',
  terminal_id: 'terminalID',
  bank_code: 'bankCode',
  bill_number: 'billNumber',
  trace_transfer: 'traceTransfer',
  id: 'id',
  outcome: 'outcome',
} as const satisfies Record<string, keyof PaymentFilter>

const NAMES = Object.keys(COLUMNS)
const keyOf = (column: string, value: string) => `${column} ${value}`

/** A payment's amount and columns. */
type Member = [amount: number, ...columns: string[]]

interface Digest {
  segment: number
  leastAmount: number
  mostAmount: number
  keys: Buffer
}

type Digests = Database.Statement<[highest: number, lowest: number], Digest>

export type PaymentDigests = ReturnType<typeof createPaymentDigests>

/**
 * A digest of each 512 payments tells a search which of them it need not look at.
 *
 * Why no indices: plain ones of stores, tills, traces, bills and ids cost a payment 94 % more CPU (177 µs instead of 91), and
 * with 64 payments in a commit 4.3 times the frames of the log (5.34 instead of 1.23). Digests cost it 5 % and a hundredth
 * of a frame (measured: test/bench/README.md). A search through a million payments looks at two thousand digests.
 */
export function createPaymentDigests(sqlite: Database.Database) {
  const members = sqlite
    .prepare<[from: number, below: number], Member>(
      `SELECT amount, ${NAMES.join()} FROM payments WHERE number >= ? AND number < ?`,
    )
    .raw()
  const put = sqlite.prepare<Digest>(
    `INSERT INTO payment_digests (segment, least_amount, most_amount, keys)
     VALUES (@segment, @leastAmount, @mostAmount, @keys)
     ON CONFLICT (segment) DO UPDATE SET
       least_amount = excluded.least_amount, most_amount = excluded.most_amount, keys = excluded.keys`,
  )
  const has = sqlite.prepare<[segment: number]>('SELECT 1 FROM payment_digests WHERE segment = ?')
  const bounds = sqlite.prepare<[], { lowest: number | null; highest: number | null }>(
    'SELECT (SELECT min(number) FROM payments) AS lowest, (SELECT max(number) FROM payments) AS highest',
  )
  const digests: Digests = sqlite.prepare(
    `SELECT segment, least_amount AS leastAmount, most_amount AS mostAmount, keys FROM payment_digests
     WHERE segment <= ? AND segment >= ? ORDER BY segment DESC LIMIT ${DIGESTS_LOOKED_AT}`,
  )
  const forgetBelow = sqlite.prepare<[segment: number]>('DELETE FROM payment_digests WHERE segment < ?')

  function write(segment: number) {
    put.run({ segment, ...digestOf(members.all(segment * SEGMENT, (segment + 1) * SEGMENT)) })
  }

  return {
    /** Writes the digest of the payments that this one completes, inside its commit. */
    stored(rowId: number) {
      if (rowId % SEGMENT === SEGMENT - 1) write(Math.floor(rowId / SEGMENT))
    },

    /**
     * Writes the highest missing digest below a segment; all when `below` is undefined. Returns where the next page of
     * this work begins. It is undefined at the end.
     */
    writeMissing(below: number | undefined): number | undefined {
      const { lowest, highest } = bounds.get() ?? {}
      if (typeof lowest !== 'number' || typeof highest !== 'number') return undefined
      const last = Math.floor(lowest / SEGMENT)
      let segment = (below ?? Math.floor((highest + 1) / SEGMENT)) - 1
      for (let left = LOOKED_FOR; segment >= last; segment -= 1, left -= 1) {
        if (left === 0) return segment + 1
        if (has.get(segment)) continue
        write(segment)
        return segment
      }
      return undefined
    },

    /** Forgets the digests of deleted payments. */
    prune() {
      const lowest = bounds.get()?.lowest
      if (typeof lowest === 'number') forgetBelow.run(Math.floor(lowest / SEGMENT))
    },

    /**
     * Chooses the rows of a search by its digests. `highest` is the highest number of a payment: the segment that it is
     * in has no digest yet. Undefined when digests know nothing of the filter.
     */
    chooser(filter: PaymentFilter, highest: number): ChooseRange | undefined {
      const mayMatch = matcherOf(filter)
      return mayMatch && chooseBy(digests, mayMatch, Math.floor(highest / SEGMENT))
    },
  }
}

function digestOf(payments: readonly Member[]): Omit<Digest, 'segment'> {
  const bloom = Buffer.alloc(BLOOM_BYTES)
  const keys = NAMES.map(() => new Set<string>())
  let [leastAmount, mostAmount] = [Number.MAX_SAFE_INTEGER, 0]
  for (const [amount, ...values] of payments) {
    leastAmount = Math.min(leastAmount, amount)
    mostAmount = Math.max(mostAmount, amount)
    for (const [index, own] of keys.entries()) own.add(values[index] ?? '')
  }
  for (const [index, own] of keys.entries())
    for (const value of own) if (value !== '') addToBloom(bloom, keyOf(NAMES[index] ?? '', value))
  return { leastAmount, mostAmount, keys: bloom }
}

/** Tells whether a payment of a digest may match. Undefined when digests know nothing of the filter. */
function matcherOf(filter: PaymentFilter): ((digest: Digest) => boolean) | undefined {
  const { minAmount = 0, maxAmount = Number.MAX_SAFE_INTEGER } = filter
  const wanted = Object.entries(COLUMNS).flatMap(([column, name]) => {
    const value = filter[name]
    return value === undefined ? [] : [bitsOf(keyOf(column, value))]
  })
  if (wanted.length === 0 && filter.minAmount === undefined && filter.maxAmount === undefined)
    return undefined
  return ({ keys, leastAmount, mostAmount }) =>
    mostAmount >= minAmount && leastAmount <= maxAmount && wanted.every((bits) => mayHave(keys, bits))
}

/** Chooses the highest segments in a row that may match. */
function chooseBy(digests: Digests, mayMatch: (digest: Digest) => boolean, unfinished: number): ChooseRange {
  return function choose(top, least) {
    const [first, last] = [Math.floor((top - 1) / SEGMENT), Math.floor(least / SEGMENT)]
    let [found, count]: [number | undefined, number] = [undefined, 0]
    let segment = first
    const known = digests.iterate(first, last)[Symbol.iterator]()
    let digest = known.next()
    for (; segment >= last; segment -= 1) {
      if (
        count === DIGESTS_LOOKED_AT ||
        (found !== undefined && (found - segment) * SEGMENT >= SQLITE.scanned)
      )
        break
      const isKnown = digest.value?.segment === segment
      const may = !isKnown || segment === unfinished || (digest.value && mayMatch(digest.value))
      if (isKnown) {
        digest = known.next()
        count += 1
      }
      if (may) found ??= segment
      else if (found !== undefined) break
    }
    known.return?.()
    const reached = Math.max(least, (segment + 1) * SEGMENT)
    if (found === undefined) return { from: reached, below: reached }
    return { from: reached, below: Math.min(top, (found + 1) * SEGMENT) }
  }
}
