import { isoInstant } from '../../platform/clock.ts'
import type { AuditFilter } from '../../storage/audit.ts'
import { when } from '../for-people.ts'
import { done, type Outcome, table } from './output.ts'
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
    Object.keys(row.details).length > 0 ? inZone(JSON.stringify(row.details)) : '-',
  ])
  const text = table(['ID', 'TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], rows, 'No change found.')
  const last = found.at(-1)
  return done(
    json,
    found.length < filter.limit || !last ? text : `${text}\nOlder ones: add --before ${last.id}`,
  )
}

/** Writes the instants of details as those of the columns. */
function inZone(details: string): string {
  return details.replace(/(?<=")\d{4}-\d\d-\d\dT[\d:.]+Z(?=")/g, (instant) => when(Date.parse(instant)))
}
