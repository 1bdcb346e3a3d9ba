import type { Presence } from '../../devices/ports.ts'
import type { Tx } from '../../storage/postgres/engine/database.ts'

/** Which devices are at another hub than `hub` that runs. */
export function createPostgresPresence(query: Tx['query'], hub: string): Presence {
  return {
    async isConnected(serial) {
      const [found] = await query(
        'presence',
        `SELECT 1 FROM devices d JOIN device_state s ON s.device_number = d.number
           JOIN live_hubs h ON h.id = s.hub
         WHERE d.serial = $1 AND s.session_id IS NOT NULL AND s.hub <> $2`,
        [serial, hub],
      )
      return found !== undefined
    },
  }
}
