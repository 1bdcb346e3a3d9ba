import type { AuditRecords, AuditRow } from '../../audit.ts'
import type { PostgresDatabase } from '../engine/database.ts'

export function createAuditRecords({ read }: PostgresDatabase): AuditRecords {
  return {
    list: ({ since, actor, action, subject, before = Number.MAX_SAFE_INTEGER, limit }) =>
      read<AuditRow>(
        'audit.list',
        `SELECT id, at, actor_kind AS "actorKind", actor, action, subject, details FROM audit
         WHERE id < $1 AND ($2::bigint IS NULL OR at >= $2) AND ($3::text IS NULL OR actor = $3 OR actor_kind = $3)
           AND ($4::text IS NULL OR starts_with(action, $4)) AND ($5::text IS NULL OR subject = $5)
         ORDER BY id DESC LIMIT $6`,
        [before, since, actor, action, subject, limit],
      ),
  }
}
