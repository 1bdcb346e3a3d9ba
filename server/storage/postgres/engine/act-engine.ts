import { keyIdOf } from '../../../security/vault.ts'
import { type Act, carryOutAsync, type Engine, type PageCall, row } from '../../acts/act.ts'
import { inPages, type Page } from '../../shared/pages.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'
import type { PostgresDatabase, Tx } from './database.ts'

export function createActEngine(database: PostgresDatabase): Engine {
  const { read, write, vault, cachedByGrants } = database
  const run = runOn(read)
  const carryOutIn = <T>({ query, end }: Tx, act: Act<T>) => carryOutAsync(act, runOn(query, end))
  const reading: Engine['reading'] =
    (act) =>
    (...args) =>
      carryOutAsync(act(...args), run)
  const writing: Engine['writing'] =
    (act) =>
    (...args) =>
      write((tx) => carryOutIn(tx, act(...args)))
  const batched: Engine['batched'] = (name, act, how) =>
    database.batched(name, (tx, calls) => carryOutIn(tx, act(calls)), how)
  return {
    ...POSTGRES,
    vault,
    writing,
    reading,
    readingLocked: writing,
    batched,
    batchedPages<A, C, V>(
      name: string,
      page: (calls: readonly PageCall<A, C>[]) => Act<Page<C, V>[]>,
      keyOf: (call: A) => string,
    ) {
      const writePage = batched(name, page, { keyOf: ({ call }) => keyOf(call) })
      return (call: A, committed: (value: V) => void) =>
        inPages<{ from: C | undefined }>({ from: undefined }, async ({ from }) => {
          const { value, next } = await writePage({ call, cursor: from })
          committed(value)
          return next === undefined ? undefined : { from: next }
        })
    },
    gathered: (name, act) =>
      database.gathered(name, (query, calls) => carryOutAsync(act(calls), runOn(query))),
    inPages: (first, page, committed) =>
      inPages(first, async (cursor) => {
        const { value, next } = await write((tx) => carryOutIn(tx, page(cursor)))
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
