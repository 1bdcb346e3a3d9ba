import { keyIdOf } from '../../../security/vault.ts'
import { type Act, carryOutAsync, type Engine, row } from '../../acts/act.ts'
import { inPages } from '../../shared/pages.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'
import type { PostgresDatabase } from './database.ts'

export function createActEngine({ read, write, vault, cachedByGrants }: PostgresDatabase): Engine {
  const run = runOn(read)
  const reading: Engine['reading'] =
    (act) =>
    (...args) =>
      carryOutAsync(act(...args), run)
  return {
    ...POSTGRES,
    vault,
    writing:
      (act) =>
      (...args) =>
        write((tx) => carryOutAsync(act(...args), runOn(tx.query))),
    reading,
    inPages: (first, page, committed) =>
      inPages(first, async (cursor) => {
        const { value, next } = await write((tx) => carryOutAsync(page(cursor), runOn(tx.query)))
        committed?.(value)
        return next
      }),
    cachedByGrants<V extends object>() {
      const cached = cachedByGrants<V>()
      return (key: string, read: () => Act<V | undefined>) => cached(key, reading(read))
    },
    *holdKey() {
      const canary = yield* row<{ sealed: Buffer }>('keys.hold', 'SELECT sealed FROM vault_canary FOR SHARE')
      if (canary) vault.sealUnder(keyIdOf(canary.sealed))
    },
  }
}
