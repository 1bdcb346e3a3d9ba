import type { Case } from './schema.ts'
import { UsageError } from './usage-error.ts'

/** The first case of every run: all others need its session. */
export const OPENING = 'session/opens'

export interface Selection {
  cases: Case[]
  /** Ids of slow cases that were not selected. */
  leftOut: string[]
}

/**
 * Selects cases by patterns: an area (`mac`), an id (`mac/no-mac`), both with `*` as a wildcard, or a clause (`7.5`).
 * Without a pattern it selects all. Slow cases need `slow` or their exact id. Cases marked `last` run last. Throws a
 * `UsageError` for a pattern without a match.
 */
export function selectCases(
  all: readonly Case[],
  patterns: readonly string[],
  { slow }: { slow: boolean },
): Selection {
  for (const pattern of patterns)
    if (!all.some((one) => fits(one, pattern)))
      throw new UsageError(`--only ${pattern}: no case matches (see --list)`)
  const chosen = all.filter((one) => patterns.length === 0 || patterns.some((pattern) => fits(one, pattern)))
  const wanted = chosen.filter((one) => slow || !one.slow || patterns.includes(one.id))
  const opening = all.filter((one) => one.id === OPENING && !wanted.includes(one))
  return {
    cases: [...opening, ...wanted.filter(({ last }) => !last), ...wanted.filter(({ last }) => last)],
    leftOut: chosen.filter((one) => !wanted.includes(one)).map(({ id }) => id),
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}

function fits({ id, area, clauses }: Case, pattern: string): boolean {
  if (clauses.includes(pattern)) return true
  const glob = new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`)
  return glob.test(area) || glob.test(id) || glob.test(id.slice(area.length + 1))
}
