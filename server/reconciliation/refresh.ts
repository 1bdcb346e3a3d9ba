import { AROUND_DAYS, addContext, type ContextDeps } from './context.ts'
import { dateAfter } from './match/days.ts'
import type { Freshness, PlacedRow, Statement } from './ports.ts'
import { ROWS_PER_COMMIT } from './ports.ts'
import type { Matchings, StoredMatching } from './worker/client.ts'
import type { Matched } from './worker/matching.ts'

/** Attempts while payments and decisions come in. The next look tries again. */
const ATTEMPTS = 5

export interface RefreshDeps extends ContextDeps {
  matchings: Matchings
}

/** What is brought up to date: the days of an account. */
export interface Days extends Pick<Statement, 'clientId' | 'accountId' | 'zone'> {
  from: string
  to: string
}

/**
 * Brings the rows of an account's statements up to date, as people are about to look at them: with callbacks that came
 * later, with other statements, and with decisions. When nothing has changed, it reads two rows.
 *
 * Why not at each callback: a payment would wait for it, and most accounts have no statement.
 */
export function createRefresh({ statements, slices, matchings }: RefreshDeps) {
  /** Stores what has changed of the rows of statements. False when the account has changed meanwhile. */
  async function store(
    accountId: string,
    version: number,
    rows: readonly PlacedRow[],
    matching: StoredMatching,
  ): Promise<boolean> {
    const before = new Map(rows.map((row) => [row.id, row]))
    let changes: Matched[] = []
    for (let skip = 0; ; ) {
      const page = await matching.outcomes(skip)
      skip += page.length
      changes.push(...page.filter((one) => isChanged(one, before.get(one.id))))
      while (changes.length >= ROWS_PER_COMMIT || (page.length === 0 && changes.length > 0)) {
        const commit = changes.slice(0, ROWS_PER_COMMIT)
        if (!(await statements.storeOutcomes(accountId, version, commit))) return false
        changes = changes.slice(ROWS_PER_COMMIT)
      }
      if (page.length === 0) return true
    }
  }

  async function matchOnce({ clientId, accountId, zone, from, to }: Days): Promise<boolean> {
    const around = { from: dateAfter(from, -AROUND_DAYS), to: dateAfter(to, AROUND_DAYS) }
    const known = await statements.near(accountId, around)
    const { newestPayment } = await statements.state(accountId)
    for (const { id, seenUpTo } of known) if (seenUpTo < newestPayment) await statements.collect(id)
    const { version } = await statements.state(accountId)
    const beside = { from: dateAfter(from, -1), to: dateAfter(to, 1) }
    const stale = (await statements.near(accountId, beside)).filter(
      ({ matchedVersion }: Freshness) => matchedVersion !== version,
    )
    if (stale.length === 0) return true
    const matching = matchings.stored()
    try {
      const targets = stale.map(({ id, from, to }) => ({ id, from, to }))
      const rows = await addContext({ statements, slices }, matching, { clientId, accountId, zone, targets })
      const summaries = await matching.run(zone, targets)
      if (!(await store(accountId, version, rows, matching))) return false
      for (const { id, summary } of summaries)
        if (!(await statements.settle(id, { version, summary }))) return false
      return true
    } finally {
      await matching.end()
    }
  }

  return async function refresh(days: Days): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) if (await matchOnce(days)) return
  }
}

function isChanged(one: Matched, before: PlacedRow | undefined): boolean {
  return (
    before === undefined ||
    one.bucket !== before.bucket ||
    one.rule !== before.rule ||
    one.paymentId !== before.paymentId ||
    one.proposedId !== before.proposedId ||
    one.otherRow !== before.otherRow
  )
}
