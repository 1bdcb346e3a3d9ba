import { carryOutAsync } from '../../acts/act.ts'
import { type Change, noteChange } from '../../acts/audit-trail.ts'
import { runOn } from '../schema/statements.ts'
import type { Tx } from './pool.ts'

/** Writes the audit row of a change that is no act, inside the transaction of the change. */
export function noteChangeIn(tx: Tx, change: Change): Promise<void> {
  return carryOutAsync(noteChange(change), runOn(tx.query))
}
