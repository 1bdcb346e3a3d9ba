import type Database from 'better-sqlite3'
import { type AuditTrail as ActTrail, carryOut } from '../../acts/act.ts'
import { createAuditTrail as createActTrail } from '../../acts/audit-trail.ts'
import type { Change } from '../../shared/audited-change.ts'
import { runOn, SQLITE } from './statements.ts'

/** Writes the audit rows. Call it inside the transaction of the change: there is no row without the change. */
export interface AuditTrail {
  note(change: Change): void
  /** The same within acts of both engines. */
  acts: ActTrail
}

/** `operator` is the system user whose command this process carries out. Undefined in the hub. */
export function createAuditTrail(sqlite: Database.Database, operator?: string): AuditTrail {
  const [acts, run] = [createActTrail(SQLITE, operator), runOn(sqlite)]
  return {
    acts,
    note: (change) => carryOut(acts.note(change), run),
  }
}
