import { keyIdOf } from '../../../security/vault.ts'
import { type Act, carryOutAsync, type Engine, row, rows } from '../../acts/act.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'
import type { PostgresDatabase } from './database.ts'

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
    *holdKey() {
      const canary = yield* row<{ sealed: Buffer }>('keys.hold', 'SELECT sealed FROM vault_canary FOR SHARE')
      if (canary) vault.sealUnder(keyIdOf(canary.sealed))
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
