import type { Actor } from '../../security/actor.ts'
import type { AuditAction, AuditRow } from '../audit.ts'
import { type Act, type Engine, row, rows } from './act.ts'

/** A change, as its audit row tells it. */
export interface Change {
  by: Actor
  at: number
  action: AuditAction
  subject: string
  /** It has no `via`, which is the actor's. */
  details?: AuditRow['details']
}

/** Writes the audit row of a change, in the transaction of the change: there is no row without the change. */
export function* noteChange({ by, at, action, subject, details }: Change): Act<void> {
  const { actorKind, actor, via } = columnsOf(by)
  yield* rows(
    'audit.note',
    'INSERT INTO audit (at, actor_kind, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5, $6)',
    [at, actorKind, actor, action, subject, JSON.stringify({ ...details, ...via })],
  )
}

/**
 * Notes `times` changes of a kind that comes in numbers: one row for each actor and period counts all of them. Call it
 * last: other transactions wait here until this one ends.
 *
 * Why: a partner may log in at every request, and a row for each would fill the disk.
 */
export function* countChanges(
  { lock }: Pick<Engine, 'lock'>,
  change: Omit<Change, 'details'>,
  times: number,
  periodMs: number,
): Act<void> {
  const { at, action, by } = change
  const { actor } = columnsOf(by)
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
  if (!counted) return yield* noteChange({ ...change, details: { count: times } })
  yield* rows('audit.count', 'UPDATE audit SET details = $2 WHERE id = $1', [
    counted.id,
    JSON.stringify({ count: Number(counted.count) + times }),
  ])
}

/** The actor as a row has it. An operator at the command line has no `via`: a row tells it by the kind alone. */
function columnsOf(by: Actor): Pick<AuditRow, 'actorKind' | 'actor'> & { via?: { via: 'console' } } {
  switch (by.kind) {
    case 'partner':
      return { actorKind: 'partner', actor: by.clientId }
    case 'operator':
      return {
        actorKind: 'operator',
        actor: by.name,
        ...(by.from === 'console' && { via: { via: by.from } }),
      }
    case 'hub':
      return { actorKind: 'hub', actor: 'hub' }
  }
}
