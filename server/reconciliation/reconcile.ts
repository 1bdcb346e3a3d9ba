import type { Cursors } from '../platform/lists/cursors.ts'
import { reconcileDay } from './day-of.ts'
import { decideAndSign } from './decide-and-sign.ts'
import { type ImportDeps, importStatement } from './import-statement.ts'
import { manageProfiles } from './profiles.ts'
import { showStatements } from './show-statement.ts'

/** All that can be done with statements: for the API, the command line and the console alike. */
export function reconcile(deps: ImportDeps & { cursors: Cursors }) {
  return {
    ...showStatements(deps),
    ...manageProfiles(deps),
    importStatement: importStatement(deps),
    ...decideAndSign(deps),
    ...reconcileDay(deps),
  }
}

export type ReconciliationVerbs = ReturnType<typeof reconcile>
