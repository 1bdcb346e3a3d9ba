import { actorOf, type Change } from '../../shared/audited-change.ts'
import type { Tx } from './pool.ts'

/** Writes the audit rows, inside the transaction of the change: there is no row without the change. */
export interface AuditTrail {
  note(tx: Tx, change: Change): Promise<void>
  /**
   * Notes `times` changes of a kind that comes in numbers: one row for each actor and period counts all of them. Call it
   * last: other transactions wait here until this one ends.
   */
  count(tx: Tx, change: Omit<Change, 'details'>, times: number, periodMs: number): Promise<void>
}

/** `operator` is the system user whose command this process carries out. Undefined in the hub. */
export function createAuditTrail(operator?: string): AuditTrail {
  async function note(tx: Tx, { at, action, subject, clientId, details = {} }: Change) {
    await tx.query(
      'audit.note',
      'INSERT INTO audit (at, actor_kind, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5, $6)',
      [at, ...actorOf(operator, clientId), action, subject, JSON.stringify(details)],
    )
  }

  return {
    note,

    async count(tx, change, times, periodMs) {
      const [, actor] = actorOf(operator, change.clientId)
      const { at, action } = change
      // Apart from the update, which sees then what the transaction before has written. Of the hub, one alone counts.
      await tx.query('audit.lock', 'SELECT FROM partners WHERE client_id = $1 FOR NO KEY UPDATE', [actor])
      const counted = await tx.query(
        'audit.count',
        `UPDATE audit SET details = jsonb_build_object('count', (details ->> 'count')::bigint + $1)
         WHERE id = (SELECT max(id) FROM audit WHERE action = $2 AND actor = $3 AND at > $4 AND at <= $5)
         RETURNING id`,
        [times, action, actor, at - periodMs, at],
      )
      if (counted.length === 0) await note(tx, { ...change, details: { count: times } })
    },
  }
}
