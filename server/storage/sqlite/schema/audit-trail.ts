import type Database from 'better-sqlite3'
import { carryOut } from '../../acts/act.ts'
import { type Change, noteChange } from '../../acts/audit-trail.ts'
import { runOn } from './statements.ts'

/** Writes the audit row of a change that is no act. Call it inside the transaction of the change. */
export function noteChangeOn(sqlite: Database.Database, change: Change): void {
  carryOut(noteChange(change), runOn(sqlite))
}
