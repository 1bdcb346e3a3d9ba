import type { AuditAction, AuditRow } from '../audit.ts'

/** A change, as the act that makes it tells it. */
export interface Change {
  at: number
  action: AuditAction
  subject: string
  /** The partner that asked for it. Absent when the operator or the hub itself did. */
  clientId?: string
  details?: AuditRow['details']
}

/** Who made a change. `operator` is the system user whose command this process carries out. */
export function actorOf(
  operator: string | undefined,
  clientId: string | undefined,
): [kind: AuditRow['actorKind'], actor: string] {
  if (clientId !== undefined) return ['partner', clientId]
  return operator === undefined ? ['hub', 'hub'] : ['operator', operator]
}
