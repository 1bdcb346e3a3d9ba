import { mayChange } from '../../security/actor.ts'
import type { StoreRecords } from '../../stores/ports.ts'
import type { StorageRules } from '../rules.ts'
import { type Engine, row, rows } from './act.ts'
import { noteChange } from './audit-trail.ts'
import { createStoreNames } from './store-names.ts'
import { createStoreRows, createStoreWrites } from './store-rows.ts'

export function createStoreRecords(engine: Engine, rules: Pick<StorageRules, 'plainName'>): StoreRecords {
  const { reading, writing, lock, raise } = engine
  const stores = createStoreRows(engine)
  const writes = createStoreWrites(engine)

  return {
    indexNames: createStoreNames(engine, rules).indexNames,

    find: reading(function* (clientId, storeId) {
      const store = yield* stores.find(storeId)
      return store?.clientId === clientId ? store : undefined
    }),

    update: writing(function* (by, storeId, change, at) {
      yield* lock('stores.lock', 'SELECT 1 FROM stores WHERE id = $1', [storeId])
      const before = yield* stores.find(storeId)
      if (!before || !mayChange(by, before.clientId)) return { kind: 'not_found' }
      // Of two that want it at once, the unique index refuses one, and its act runs again.
      const taken =
        change.terminalID !== undefined &&
        (yield* row(
          'stores.ofTerminal',
          'SELECT 1 FROM stores WHERE client_id = $1 AND terminal_id = $2 AND id <> $3',
          [before.clientId, change.terminalID, storeId],
        ))
      if (taken) return { kind: 'terminal_taken' }
      const changed = yield* writes.update(before, change, at)
      const links = yield* rows<{ deviceId: string }>(
        'stores.devices',
        `SELECT d.id AS "deviceId" FROM stores s
           JOIN device_stores l ON l.store_number = s.number JOIN devices d ON d.number = l.device_number
         WHERE s.id = $1 ORDER BY l.device_number`,
        [storeId],
      )
      const store = yield* stores.get(storeId)
      if (changed.length > 0)
        yield* noteChange({ by, at, action: 'store.update', subject: storeId, details: { changed } })
      yield* raise('stores')
      return { kind: 'updated', store, deviceIds: links.map(({ deviceId }) => deviceId) }
    }),
  }
}
