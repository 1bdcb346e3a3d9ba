import { type AuditTrail as ActTrail, carryOutAsync } from '../../acts/act.ts'
import { createAuditTrail as createActTrail } from '../../acts/audit-trail.ts'
import type { Change } from '../../shared/audited-change.ts'
import { POSTGRES, runOn } from '../schema/statements.ts'
import type { Tx } from './pool.ts'

/** Writes the audit rows, inside the transaction of the change: there is no row without the change. */
export interface AuditTrail {
  note(tx: Tx, change: Change): Promise<void>
  /** The same within acts of both engines. */
  acts: ActTrail
}

/** `operator` is the system user whose command this process carries out. Undefined in the hub. */
export function createAuditTrail(operator?: string): AuditTrail {
  const acts = createActTrail(POSTGRES, operator)
  return {
    acts,
    note: (tx, change) => carryOutAsync(acts.note(change), runOn(tx.query)),
  }
}
