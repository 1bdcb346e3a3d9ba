import { actorOf, type Change } from '../shared/audited-change.ts'
import { type AuditTrail, type Engine, row, rows } from './act.ts'

/** `operator` is the system user whose command this process carries out. Undefined in the hub. */
export function createAuditTrail({ lock }: Pick<Engine, 'lock'>, operator?: string): AuditTrail {
  function* note({ at, action, subject, clientId, details = {} }: Change) {
    yield* rows(
      'audit.note',
      'INSERT INTO audit (at, actor_kind, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5, $6)',
      [at, ...actorOf(operator, clientId), action, subject, JSON.stringify(details)],
    )
  }

  return {
    note,

    *count(change, times, periodMs) {
      const [, actor] = actorOf(operator, change.clientId)
      const { at, action } = change
      yield* lock('audit.lock', 'SELECT 1 FROM partners WHERE client_id = $1', [actor])
      const newest = `FROM audit
        WHERE id = (SELECT max(id) FROM audit WHERE action = $1 AND actor = $2 AND at > $3 AND at <= $4)`
      const values = [action, actor, at - periodMs, at]
      // The hub is no partner: its row is locked.
      yield* lock('audit.lockNewest', `SELECT 1 ${newest}`, values)
      const counted = yield* row<{ id: number; count: number | string }>(
        'audit.counted',
        `SELECT id, details ->> 'count' AS count ${newest}`,
        values,
      )
      if (!counted) return yield* note({ ...change, details: { count: times } })
      const details = JSON.stringify({ count: Number(counted.count) + times })
      yield* rows('audit.count', 'UPDATE audit SET details = $2 WHERE id = $1', [counted.id, details])
    },
  }
}
