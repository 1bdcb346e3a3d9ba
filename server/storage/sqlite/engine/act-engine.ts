import type { Vault } from '../../../security/vault.ts'
import { type Act, carryOut, carryOutOne, type Engine, type PageCall } from '../../acts/act.ts'
import { readGrantsRevision } from '../../acts/changes.ts'
import type { Page } from '../../shared/pages.ts'
import { createReadCache } from '../../shared/read-cache.ts'
import { perRowOn, runOn, SQLITE } from '../schema/statements.ts'
import type { OpenDatabase } from './database.ts'

/** Reads the revision of the grants. */
export function lookAtGrants({ sqlite, reading }: OpenDatabase): () => Promise<number> {
  const run = runOn(sqlite)
  return reading(() => carryOut(readGrantsRevision(), run))
}

/** Reads of grants are cached until `look` finds another revision. */
export function createActEngine(
  database: OpenDatabase,
  vault: Vault,
  look: () => Promise<number> = lookAtGrants(database),
): Engine {
  const { sqlite, commits, writing, reading } = database
  const run = runOn(sqlite)
  const readCache = createReadCache(look)
  const readingHere: Engine['reading'] = (act) => reading((...args) => carryOut(act(...args), run))
  return {
    ...SQLITE,
    perRow: perRowOn(sqlite),
    vault,
    writing: (act) => writing((...args) => carryOut(act(...args), run)),
    reading: readingHere,
    readingLocked: readingHere,
    batched: (_, act) => writing((call) => carryOutOne(act, call, run)),
    batchedPages<A, C, V>(_name: string, page: (calls: readonly PageCall<A, C>[]) => Act<Page<C, V>[]>) {
      return (call: A, committed: (value: V) => void) =>
        commits.writePages<C | undefined, V>(
          undefined,
          (cursor) => carryOutOne(page, { call, cursor }, run),
          committed,
        )
    },
    gathered: (_, act) => reading((call) => carryOutOne(act, call, run)),
    inPages: (first, page, committed) =>
      commits.writePages(first, (cursor) => carryOut(page(cursor), run), committed),
    *holdKey() {},
    cachedByGrants<V extends object>() {
      const cached = readCache<V>()
      return (key: string, read: () => Act<V | undefined>) => cached(key, readingHere(read))
    },
  }
}
