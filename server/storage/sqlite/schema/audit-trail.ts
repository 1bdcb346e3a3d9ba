import type Database from 'better-sqlite3'
import { actorOf, type Change } from '../../shared/audited-change.ts'

/** Writes the audit rows. Call it inside the transaction of the change: there is no row without the change. */
export interface AuditTrail {
  note(change: Change): void
  /**
   * Notes `times` changes of a kind that comes in numbers: one row for each actor and period counts all of them.
   * Why: a partner may log in at every request, and a row for each would fill the disk.
   */
  count(change: Omit<Change, 'details'>, times: number, periodMs: number): void
}

/** `operator` is the system user whose command this process carries out. Undefined in the hub. */
export function createAuditTrail(sqlite: Database.Database, operator?: string): AuditTrail {
  function note({ at, action, subject, clientId, details = {} }: Change) {
    const insert = sqlite.prepare(
      'INSERT INTO audit (at, actor_kind, actor, action, subject, details) VALUES (?, ?, ?, ?, ?, ?)',
    )
    insert.run(at, ...actorOf(operator, clientId), action, subject, JSON.stringify(details))
  }

  return {
    note,
    count(change, times, periodMs) {
      const [, actor] = actorOf(operator, change.clientId)
      const { changes } = sqlite
        .prepare(
          `UPDATE audit SET details = json_object('count', (details ->> 'count') + ?)
           WHERE id = (SELECT max(id) FROM audit WHERE action = ? AND actor = ? AND at > ? AND at <= ?)`,
        )
        .run(times, change.action, actor, change.at - periodMs, change.at)
      if (changes === 0) note({ ...change, details: { count: times } })
    },
  }
}
