import type { ClientBase } from 'pg'
import { OperatorError } from '../../../platform/errors.ts'

/** The table is there from the beginning of an import to its end: nothing else may use the database meanwhile. */
export const UNFINISHED_IMPORT = 'unfinished_import'

export async function refuseUnfinishedImport(client: ClientBase) {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    UNFINISHED_IMPORT,
  ])
  if (rows[0]?.exists === true)
    throw new OperatorError(
      'An import into the PostgreSQL database is unfinished: run hub import again, which goes on with it.',
    )
}
