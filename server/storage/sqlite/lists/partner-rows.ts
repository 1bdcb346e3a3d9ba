import type { ChooseRange } from '../../shared/walk-back.ts'
import type { Orm } from '../engine/database.ts'

/** Rows of a partner that one read looks at: half a millisecond, also when their names are compared. */
export const PARTNER_ROWS = 500

/** Chooses the next rows of one partner, by the index of its rows. */
export function rowsOfPartner({ $client: sqlite }: Orm, table: 'devices' | 'stores') {
  const last = sqlite
    .prepare<[clientId: string, below: number, least: number], number>(
      `SELECT number FROM ${table} WHERE client_id = ? AND number < ? AND number >= ?
       ORDER BY number DESC LIMIT 1 OFFSET ${PARTNER_ROWS - 1}`,
    )
    .pluck()
  return (clientId: string): ChooseRange =>
    (top, least) => ({ from: last.get(clientId, top, least) ?? least, below: top })
}
