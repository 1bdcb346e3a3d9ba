import { UsageError } from './usage-error.ts'
import type { Case } from './schema.ts'

/** The case that opens every run: without a session no other can be run. */
export const OPENING = 'session/opens'

export interface Selection {
  cases: Case[]
  /** Ids of the slow ones that nobody asked for. */
  leftOut: string[]
}

/**
 * Chooses cases by patterns: an area (`mac`), an id (`mac/no-mac`), either with `*` for anything, or a clause (`7.5`).
 * No pattern chooses all. Slow ones are left out unless they are wanted, or named one by one. What a device does not
 * recover from soon runs last. A `UsageError` names a pattern that fits nothing.
 */
export function selectCases(
  all: readonly Case[],
  patterns: readonly string[],
  { slow }: { slow: boolean },
): Selection {
  for (const pattern of patterns)
    if (!all.some((one) => fits(one, pattern)))
      throw new UsageError(`--only ${pattern}: no such case (--list)`)
  const chosen = all.filter((one) => patterns.length === 0 || patterns.some((pattern) => fits(one, pattern)))
  const wanted = chosen.filter((one) => slow || !one.slow || patterns.includes(one.id))
  const opening = all.filter((one) => one.id === OPENING && !wanted.includes(one))
  return {
    cases: [...opening, ...wanted.filter(({ last }) => !last), ...wanted.filter(({ last }) => last)],
    leftOut: chosen.filter((one) => !wanted.includes(one)).map(({ id }) => id),
  }
}

function literally(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}

function fits({ id, area, clauses }: Case, pattern: string): boolean {
  if (clauses.includes(pattern)) return true
  const glob = new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`)
  return glob.test(area) || glob.test(id) || glob.test(id.slice(area.length + 1))
}
