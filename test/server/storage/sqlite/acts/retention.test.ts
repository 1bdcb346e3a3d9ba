import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { createActEngine } from '../../../../../server/storage/sqlite/engine/act-engine.ts'
import { openDatabase } from '../../../../../server/storage/sqlite/engine/database.ts'
import { openPorts } from '../../../../../server/storage/sqlite/storage.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { storageOptions } from '../../../../support/storage-options.ts'
import { AT, createShop, payWell } from '../../shop.ts'
import { unboundedSteps } from '../query-plans.ts'
import { watchStatements } from '../watch-statements.ts'

/** A storage with a payment that its speaker has played. */
async function world() {
  const { storage, file } = openTestStorage()
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const { deviceId } = speaker
  const [announcement] = (await payWell(shop, clientId)).announcements
  const [announcementId, commandNumber] = [announcement?.id ?? '', announcement?.n ?? 0]
  const step = { announcementId, commandNumber, deviceId, stage: 'played' as const, reason: undefined }
  expect(await storage.outbox.recordAck(step, AT)).toBe('moved')
  return { storage, file, shop, clientId, speaker }
}

it('leaves no reference to what it has deleted', async () => {
  const { file, storage, shop, clientId, speaker } = await world()
  await shop.issue(clientId, speaker, '123456', AT + 1)
  expect(await storage.retention.prunePayments(AT + 1, '', AT)).toMatchObject({ deleted: 1 })
  expect(await storage.retention.pruneCodes(AT + 1, '')).toMatchObject({ deleted: 1 })

  const sqlite = new Database(file, { readonly: true })
  onTestFinished(() => void sqlite.close())
  expect(sqlite.prepare('SELECT count(*) FROM announcements').pluck().get()).toBe(0)
  expect(sqlite.prepare('SELECT state, issued_at AS at FROM verification_codes').all()).toEqual([
    { state: 'outstanding', at: AT + 1 },
  ])
  expect(sqlite.pragma('foreign_key_check')).toEqual([])
})

it('scans no table: every statement uses a key or an index', async () => {
  const { file } = await world()
  const { texts } = watchStatements()
  const database = openDatabase(file, createVault(TEST_MASTER_KEY))
  onTestFinished(database.close)
  const options = storageOptions({ vault: createVault(TEST_MASTER_KEY) })
  const { retention } = openPorts(database, createActEngine(database, options.vault), options)
  database.sqlite.exec(`INSERT INTO idempotency_keys VALUES ('1', x'00', ${AT})`)
  await retention.pruneCodes(AT + 1, '')
  await retention.pruneIdempotencyKeys(AT)
  expect(await retention.prunePayments(AT + 1, '', AT)).toMatchObject({ deleted: 1 })
  expect(texts().filter((text) => text.startsWith('DELETE FROM payments'))).toHaveLength(1)
  expect(unboundedSteps(file, texts())).toEqual([])
})
