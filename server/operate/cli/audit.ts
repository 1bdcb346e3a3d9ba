import { InvalidArgumentError } from 'commander'
import { isoInstant, systemClock } from '../../platform/clock.ts'
import type { AuditFilter } from '../../storage/audit.ts'
import { done, type Outcome, table, when } from './output.ts'
import type { Workspace } from './workspace.ts'

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 }
/** Would be obeyed by a terminal, or hide from it. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Lists the changes, the newest first. */
export async function audit({ storage }: Pick<Workspace, 'storage'>, filter: AuditFilter): Promise<Outcome> {
  const { limit, since, actor, action, subject, before } = filter
  const found = await storage.audit.list({ limit, since, actor, action, subject, before })
  const json = found.map((row) => ({ ...row, at: isoInstant(row.at) }))
  const rows = found.map((row) =>
    [
      String(row.id),
      when(row.at),
      row.actorKind === 'operator' ? `${row.actor} (operator)` : row.actor,
      row.action,
      row.subject || '-',
      Object.keys(row.details).length > 0 ? JSON.stringify(row.details) : '-',
    ].map(printable),
  )
  const text = table(['ID', 'TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], rows, 'No change found.')
  const last = found.at(-1)
  return done(json, found.length < limit || !last ? text : `${text}\nOlder ones: add --before ${last.id}`)
}

/** Reads an ISO time, or a time ago as 24h. */
export function instant(value: string): number {
  const [, number, unit = ''] = /^([1-9][0-9]{0,4})([mhd])$/.exec(value) ?? []
  if (number !== undefined) return systemClock.now() - Number(number) * (UNIT_MS[unit] ?? 0)
  const at = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('Give an ISO time, or a time ago as 30m, 24h or 7d.')
  return at
}

function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)
}
