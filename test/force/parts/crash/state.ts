import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { createHistory, type Entry } from '../../../support/proof/history.ts'
import { judgeStored } from '../../../support/proof/judge.ts'
import { readRecord } from '../../../support/proof/record.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import type { World } from '../world.ts'
import type { Files } from './record.ts'

/**
 * Opens the files that a crash has left with the product, as the hub does at its start. Resolves with a sentence for
 * each promise that they break to clients that had got the answers to `answered` before.
 */
export async function judgeState(
  folder: string,
  files: Files,
  { masterKey, clientId, shops, history }: World,
  answered: ReadonlySet<string>,
): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  const database = join(folder, 'hub.db')
  const wasSeen = (entry: Entry) => entry.kind !== 'answered' || answered.has(entry.ftCode)
  const before = createHistory(history.entries.filter(wasSeen))
  try {
    const storage = openSqliteStorage(database, storageOptions({ vault: createVault(masterKey) }))
    try {
      await storage.resume()
      const broken = judgeStored(before, await readRecord({ storage, clientId, shops }))
      return [...broken.map(({ says }) => says), ...wrongIndexes(database)]
    } finally {
      storage.close()
    }
  } catch (error) {
    return [`it can't be opened: ${String(error)}`]
  }
}

/** Every row is in every index: what one of them lacks would be lost later. */
function wrongIndexes(database: string): string[] {
  const sqlite = new Database(database)
  try {
    const found = sqlite.pragma('integrity_check', { simple: true })
    return found === 'ok' ? [] : [`the database is damaged: ${found}`]
  } finally {
    sqlite.close()
  }
}
