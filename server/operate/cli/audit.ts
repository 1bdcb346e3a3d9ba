import { isoInstant } from '../../platform/clock.ts'
import type { AuditFilter } from '../../storage/audit.ts'
import { done, type Outcome, table, when } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Lists the changes, the newest first. */
export async function audit({ storage }: Pick<Workspace, 'storage'>, filter: AuditFilter): Promise<Outcome> {
  const found = await storage.audit.list(filter)
  const json = found.map((row) => ({ ...row, at: isoInstant(row.at) }))
  const rows = found.map((row) => [
    String(row.id),
    when(row.at),
    row.actorKind === 'operator' ? `${row.actor} (operator)` : row.actor,
    row.action,
    row.subject || '-',
    Object.keys(row.details).length > 0 ? JSON.stringify(row.details) : '-',
  ])
  const text = table(['ID', 'TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], rows, 'No change found.')
  const last = found.at(-1)
  return done(
    json,
    found.length < filter.limit || !last ? text : `${text}\nOlder ones: add --before ${last.id}`,
  )
}
