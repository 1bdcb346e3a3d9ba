import { type Act, carryOutAsync, type Engine, rows } from '../../acts/act.ts'
import type { PostgresDatabase, Tx } from './database.ts'

/** What acts find different in PostgreSQL. */
export const POSTGRES: Pick<Engine, 'lock' | 'forUpdate' | 'scanned' | 'among'> = {
  forUpdate: 'FOR UPDATE',
  // Some ten milliseconds of the server.
  scanned: 10_000,
  *lock(name, select, values) {
    yield* rows(name, `${select} FOR NO KEY UPDATE`, values)
  },
  among: (text, parameter) => `${text} = ANY(${parameter}::text[])`,
}

/** Answers the statements of acts in a transaction, or outside one. */
export function runOn(query: Tx['query']) {
  return ({ name, text, values }: { name: string; text: string; values: readonly unknown[] }) =>
    query<unknown>(name, text, values)
}

export function createActEngine({ read, write, audit, vault, cachedByGrants }: PostgresDatabase): Engine {
  const run = runOn(read)
  return {
    ...POSTGRES,
    vault,
    audit: audit.acts,
    writing:
      (act) =>
      (...args) =>
        write((tx) => carryOutAsync(act(...args), runOn(tx.query))),
    reading:
      (act) =>
      (...args) =>
        carryOutAsync(act(...args), run),
    cachedByGrants<V extends object>() {
      const cached = cachedByGrants<V>()
      return (key: string, read: () => Act<V | undefined>) => cached(key, () => carryOutAsync(read(), run))
    },
    *raise(revised) {
      // It caches no stores.
      if (revised !== 'stores')
        yield* rows('revisions.raise', 'UPDATE revisions SET revision = revision + 1 WHERE name = $1', [
          revised,
        ])
    },
  }
}
