import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../support/hub.ts'

async function readiness(hub: TestHub): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${hub.http}/readyz`)
  return { status: response.status, body: await response.json() }
}

it('is not ready while nothing can be written, and again when it can', async () => {
  const hub = await startTestHub()
  expect(await readiness(hub)).toEqual({ status: 200, body: { status: 'ready' } })
  // A table that is gone fails the write as a full disk does.
  const other = new Database(`${hub.dataDir}/hub.db`)
  other.exec('ALTER TABLE vault_canary RENAME TO away')
  expect(await readiness(hub)).toEqual({ status: 503, body: { status: 'not ready', reason: 'storage' } })
  other.exec('ALTER TABLE away RENAME TO vault_canary').close()
  expect(await readiness(hub)).toMatchObject({ status: 200 })
})
