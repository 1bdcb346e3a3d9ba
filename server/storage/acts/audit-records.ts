import type { AuditRecords, AuditRow } from '../audit.ts'
import { type Engine, fromJson, rows } from './act.ts'

export function createAuditRecords({ reading }: Engine): AuditRecords {
  return {
    list: reading(function* ({ since, actor, action, subject, before = Number.MAX_SAFE_INTEGER, limit }) {
      const values: unknown[] = [before, limit]
      const parameter = (value: unknown) => `$${values.push(value)}`
      const wanted = {
        since: since !== undefined && `at >= ${parameter(since)}`,
        actor: actor !== undefined && ((of) => `(actor = ${of} OR actor_kind = ${of})`)(parameter(actor)),
        action:
          action !== undefined && `substr(action, 1, ${parameter(action.length)}) = ${parameter(action)}`,
        subject: subject !== undefined && `subject = ${parameter(subject)}`,
      }
      const conditions = Object.entries(wanted).filter(([, condition]) => condition !== false)
      const found = yield* rows<Omit<AuditRow, 'details'> & { details: AuditRow['details'] | string }>(
        ['audit.list', ...conditions.map(([name]) => name)].join(' '),
        `SELECT id, at, actor_kind AS "actorKind", actor, action, subject, details FROM audit
         WHERE ${['id < $1', ...conditions.map(([, condition]) => condition)].join(' AND ')}
         ORDER BY id DESC LIMIT $2`,
        values,
      )
      return found.map((row) => ({ ...row, details: fromJson(row.details) }))
    }),
  }
}
