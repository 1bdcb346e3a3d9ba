import { DatabaseError } from 'pg'
import type { StoreRecords } from '../../../stores/ports.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { createStoreRows } from '../rows/store-rows.ts'

export function createStoreRecords({ read, write, audit, vault }: PostgresDatabase): StoreRecords {
  const rows = createStoreRows(vault)

  const update: StoreRecords['update'] = (clientId, storeId, change, at) =>
    write(async (tx) => {
      const [known] = await tx.query(
        'stores.lock',
        'SELECT 1 FROM stores WHERE id = $1 AND client_id = $2 FOR NO KEY UPDATE',
        [storeId, clientId],
      )
      if (!known) return { kind: 'not_found' }
      const changed = await rows.update(tx, storeId, change, at)
      if (changed.length > 0)
        await audit.note(tx, { at, action: 'store.update', subject: storeId, clientId, details: { changed } })
      const [store, links] = await Promise.all([
        rows.get(tx.query, storeId),
        tx.query<{ deviceId: string }>(
          'stores.devices',
          `SELECT d.id AS "deviceId" FROM stores s
             JOIN device_stores l ON l.store_number = s.number JOIN devices d ON d.number = l.device_number
           WHERE s.id = $1 ORDER BY d.number`,
          [storeId],
        ),
      ])
      return { kind: 'updated', store, deviceIds: links.map(({ deviceId }) => deviceId) }
    })

  return {
    async find(clientId, storeId) {
      const store = await rows.find(read, storeId)
      return store?.clientId === clientId ? store : undefined
    },

    async update(...args) {
      try {
        return await update(...args)
      } catch (error) {
        if (isTerminalTaken(error)) return { kind: 'terminal_taken' }
        throw error
      }
    },
  }
}

/** The partner has another store for the terminal. Only the index knows of one that is stored at the same moment. */
function isTerminalTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'stores_client_id_terminal_id_key'
}
