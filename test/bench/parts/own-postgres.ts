import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../support/processes/postgres.ts'

/** Starts PostgreSQL in a temporary folder of that name; both end with `opened`. Undefined if it is not installed. */
export async function startOwnPostgres(opened: AsyncDisposableStack, name: string) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const server = await startPostgres(folder)
  if (server) opened.defer(() => server.stop())
  return server
}
