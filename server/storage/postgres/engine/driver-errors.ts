import { DatabaseError } from 'pg'
import { unavailable } from '../../shared/storage-errors.ts'

/** Attempts at one transaction. A deadlock ends one of its two transactions, and the other one goes on. */
export const ATTEMPTS = 3

/**
 * Codes and classes of codes of a server that can't do now what it could do at another time: no connection, read-only
 * (a standby), a rolled back transaction, resources, a lock or a statement that took too long, a server that stops.
 */
const PASSING = /^(08|25006|25P03|25P04|40|53|55P03|57|58|XX)/
/** Of two acts that looked before they stored the same key, one finds the other's row when it runs again. */
const TO_REPEAT = /^(23505|40001|40P01)$/

/** Whether the transaction was rolled back because of another one, and can run again. */
export function isToRepeat(error: unknown): boolean {
  return has(TO_REPEAT, error)
}

/** The role may not do it, or the table is not there: somebody has changed the database. */
const CHANGED = /^(42501|42P01)$/

const has = (codes: RegExp, error: unknown) => error instanceof DatabaseError && codes.test(error.code ?? '')

/** Whether another connection may have no such error: the server did not refuse the statement, or it can't answer now. */
export function isLost(error: unknown): boolean {
  return !(error instanceof DatabaseError) || has(PASSING, error)
}

/** What the server or its operator has to mend, as UNAVAILABLE. A broken constraint is a bug of ours, and stays as it is. */
export function mapDriverError(error: unknown): unknown {
  return has(PASSING, error) || has(CHANGED, error) ? unavailable(error) : error
}
