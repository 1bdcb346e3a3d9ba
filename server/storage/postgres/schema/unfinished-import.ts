import type { ClientBase } from 'pg'
import { OperatorError } from '../../../platform/errors.ts'
import { hasTable } from './migrate.ts'

/** The table is there from the beginning of an import to its end: nothing else may use the database meanwhile. */
export const UNFINISHED_IMPORT = 'unfinished_import'

export async function refuseUnfinishedImport(client: ClientBase) {
  if (await hasTable(client, UNFINISHED_IMPORT))
    throw new OperatorError(
      'An import into the PostgreSQL database is unfinished: run hub import again, which goes on with it.',
    )
}
