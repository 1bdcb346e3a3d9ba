import type { Vault } from '../../../security/vault.ts'
import { type Act, carryOut, carryOutOne, type Engine, type PageCall } from '../../acts/act.ts'
import type { Page } from '../../shared/pages.ts'
import { runOn, SQLITE } from '../schema/statements.ts'
import type { OpenDatabase } from './database.ts'
import { reading } from './map-driver-errors.ts'
import type { ReadCache } from './read-cache.ts'

export function createActEngine(
  { orm, commits, writing, audit }: OpenDatabase,
  vault: Vault,
  readCache: ReadCache,
): Engine {
  const run = runOn(orm.$client)
  const readingAct: Engine['reading'] = (act) => reading((...args) => carryOut(act(...args), run))
  return {
    ...SQLITE,
    vault,
    audit: audit.acts,
    writing: (act) => writing((...args) => carryOut(act(...args), run)),
    reading: readingAct,
    readingLocked: readingAct,
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
      const cached = readCache.of<V>()
      return reading((key: string, read: () => Act<V | undefined>) =>
        cached(key, () => carryOut(read(), run)),
      )
    },
  }
}
