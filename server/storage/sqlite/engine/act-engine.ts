import type { Vault } from '../../../security/vault.ts'
import { type Act, carryOut, type Engine } from '../../acts/act.ts'
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
  return {
    ...SQLITE,
    vault,
    audit: audit.acts,
    writing: (act) => writing((...args) => carryOut(act(...args), run)),
    reading: (act) => reading((...args) => carryOut(act(...args), run)),
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
