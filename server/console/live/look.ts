import type { Result } from '../../payments/day-sum.ts'
import { RESULTS, resultOf } from '../../payments/day-sum.ts'
import type { NewestPayment, PaymentFate } from '../../payments/ports.ts'
import { type Placed, readPages } from '../../platform/page.ts'
import { createNeeds, type Needs, type NeedsDeps } from './needs.ts'

/** Payments that the page shows. */
export const SHOWN = 50
/** Payments whose results are counted, and how many of them one slice reads: about a millisecond. */
export const COUNTED = 1_000
const AT_ONCE = 500
/** A look is good for all who ask so soon after it. */
const GOOD_FOR_MS = 500
/** Of payments that are older than those shown, a result may still change: they are counted again after this time. */
const RESULTS_GOOD_FOR_MS = 5_000
/** Counted no further. */
const MOST_CAME = 10_000
/** What came since an older look says nothing of now. */
const RECENT_LOOK_MS = 5_000

/** What became of the last payments. */
export interface Results {
  count: number
  of: Readonly<Record<Result, number>>
  /** Of stores without a speaker. */
  withoutSpeaker: number
  /** From the callback until the first speaker had played, milliseconds. Undefined when nothing was played. */
  p50: number | undefined
  p95: number | undefined
}

/** What the first page of the console shows. */
export interface LineLook {
  now: number
  payments: (NewestPayment & Placed)[]
  /** How many payments came since the look before, when they are more than are shown. */
  came: number | undefined
  results: Results
  /** Undefined until it was counted once. */
  needs: Needs | undefined
}

export type ReadLine = () => Promise<LineLook>

/** Reads what the page shows. Those who ask at about the same time share a look. */
export function createLineReader(deps: NeedsDeps): ReadLine {
  const { storage, slices, clock } = deps
  const { payments: lists } = storage.lists
  const needs = createNeeds(deps)
  let shared: { look: Promise<LineLook>; elapsed: number } | undefined
  let counted: { results: Results; key: string; elapsed: number } | undefined
  let newest: { cursor: string; elapsed: number } | undefined

  async function resultsFor(key: string): Promise<Results> {
    const elapsed = clock.elapsed()
    if (counted?.key === key && elapsed - counted.elapsed < RESULTS_GOOD_FOR_MS) return counted.results
    const { rows } = await readPages(
      (page) => slices.run('line', () => lists.fates({ ...page, limit: Math.min(page.limit, AT_ONCE) })),
      { limit: COUNTED },
    )
    const results = resultsOf(rows)
    counted = { results, key, elapsed }
    return results
  }

  /** Of those that came since the look before, none is missing unless all that are shown are new. */
  async function cameSince(payments: readonly Placed[]): Promise<number | undefined> {
    const before = newest
    const elapsed = clock.elapsed()
    const [first, last] = [payments[0], payments.at(-1)]
    newest = first && { cursor: first.cursor, elapsed }
    if (!before || !last || payments.length < SHOWN || elapsed - before.elapsed > RECENT_LOOK_MS)
      return undefined
    if (Number(last.cursor) <= Number(before.cursor)) return undefined
    const came = await lists.countAfter(before.cursor, MOST_CAME)
    return came > SHOWN ? came : undefined
  }

  async function look(): Promise<LineLook> {
    const { rows: payments } = await readPages((page) => slices.run('line', () => lists.newest(page)), {
      limit: SHOWN,
    })
    const came = await cameSince(payments)
    const results = await resultsFor(JSON.stringify(payments))
    return { now: clock.now(), payments, came, results, needs: await needs.read() }
  }

  return () => {
    const elapsed = clock.elapsed()
    if (!shared || elapsed - shared.elapsed >= GOOD_FOR_MS) {
      const mine = { look: look(), elapsed }
      shared = mine
      // The next one tries again.
      mine.look.catch(() => {
        if (shared === mine) shared = undefined
      })
    }
    return shared.look
  }
}

/** Exported for tests. */
export function resultsOf(fates: readonly PaymentFate[]): Results {
  const results = fates.map(({ stages }) => resultOf(stages))
  const counts = RESULTS.map((name) => [name, results.filter((result) => result === name).length])
  const took = fates
    .flatMap(({ receivedAt, playedAt }) => (playedAt === undefined ? [] : Math.max(0, playedAt - receivedAt)))
    .sort((a, b) => a - b)
  const percentile = (share: number) => took[Math.ceil(took.length * share) - 1]
  return {
    count: fates.length,
    // By the names of RESULTS.
    of: Object.fromEntries(counts) as Results['of'],
    withoutSpeaker: results.filter((result) => result === undefined).length,
    p50: percentile(0.5),
    p95: percentile(0.95),
  }
}
