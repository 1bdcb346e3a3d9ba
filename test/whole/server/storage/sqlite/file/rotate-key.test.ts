import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../../../server/platform/ids.ts'
import { byPartner } from '../../../../../../server/security/actor.ts'
import { createVault, type Vault } from '../../../../../../server/security/vault.ts'
import type { Storage } from '../../../../../../server/storage/ports.ts'
import { SEALED_TABLES } from '../../../../../../server/storage/shared/sealed-columns.ts'
import { rotateMasterKey } from '../../../../../../server/storage/sqlite/file/rotate-key.ts'
import { openSqliteStorage } from '../../../../../../server/storage/sqlite/storage.ts'
import { AT, createShop, hashOf, payWell } from '../../../../../server/storage/shop.ts'
import { filledStatement } from '../../../../../server/storage/statement-world.ts'
import {
  deliveryOf,
  pending,
  progressOf,
  secretOf,
  webhookOf,
} from '../../../../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../../../../support/actors.ts'
import { temporaryFolder } from '../../../../../support/folder.ts'
import { storageOptions } from '../../../../../support/storage-options.ts'

const from = createVault(Buffer.alloc(32, 7))
const to = createVault(Buffer.alloc(32, 8))
/** Version and key id, which every sealed value starts with. */
const headerOf = (vault: Vault) => vault.seal('', '').subarray(0, 5)
const toNext = { prepare: () => to, adopt: () => undefined }

function open(file: string, vault: Vault) {
  const storage = openSqliteStorage(file, storageOptions({ vault, ids: createRandomIds() }))
  onTestFinished(() => storage.close())
  return storage
}

const webhooksOf = async ({ webhookQueue }: Storage) => [
  await webhookQueue.sending(),
  await webhookQueue.due('wh_1', AT + 60_000, 1),
]

/** A file with a value in every sealed column, and with old ones in its gaps; nothing has it open. */
async function filled() {
  const file = join(temporaryFolder(), 'hub.db')
  const storage = open(file, from)
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await storage.partners.rotateSecret(OPERATOR, clientId, 'sbs_second', AT + 1, AT + 60_000)
  const speaker = await shop.speaker(clientId)
  const other = await shop.speaker(clientId, 'T2')
  for (const ownerName of ['TRAN VAN BINH', 'A', 'TRAN VAN BINH JUNIOR'])
    await storage.stores.update(byPartner(clientId), speaker.storeId, { ownerName }, AT)
  await storage.bills.put(clientId, shop.bill(speaker.storeId), AT)
  const [old] = (await payWell(shop, clientId, { receivedAt: AT - 1 })).announcements
  const played = { announcementId: old?.id ?? '', commandNumber: old?.n ?? 0, deviceId: speaker.deviceId }
  await storage.outbox.recordAck({ ...played, stage: 'played', reason: undefined }, AT)
  await storage.retention.prunePayments(AT, '', AT)
  const first = shop.payment(clientId, { billNumber: 'B1' })
  const paid = await payWell(shop, clientId, first)
  await Promise.all(Array.from({ length: 1_200 }, () => shop.pay(clientId)))
  const pair = { accessHash: hashOf('a'), refreshHash: hashOf('r'), accessExpiresAt: AT + 1_000 }
  await storage.tokens.start(byPartner(clientId), { id: 'family', clientId, expiresAt: AT + 1_000 }, pair, AT)
  await shop.issue(clientId, other)
  const kept = { request: hashOf('request'), outcome: { kind: 'done' as const, status: 201, body: '{}' } }
  await storage.idempotency.keep(hashOf('key'), kept, AT, AT + 1_000)
  await storage.maintenance.rotate(
    OPERATOR,
    speaker.serial,
    { key: Buffer.alloc(32, 3), loginHash: hashOf('n') },
    AT,
  )
  await filledStatement(storage, clientId)
  await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, 'wh_1'), secretOf('wh_1'))
  await storage.webhookQueue.store(
    [progressOf('wh_1', { deliveries: [deliveryOf('wh_1', 1, pending(AT))] })],
    AT,
  )
  const webhooks = await webhooksOf(storage)
  const store = await storage.stores.find(clientId, speaker.storeId)
  const credentials = await storage.devices.credentials(speaker.serial)
  const secrets = await storage.partners.liveSecrets(clientId, AT)
  storage.close()
  return { file, clientId, speaker, other, first, answer: paid.answer, store, credentials, secrets, webhooks }
}

/** Every sealed value in the file, with its place. */
function sealedValues(file: string): { place: string; value: Buffer }[] {
  const sqlite = new Database(file)
  const found = SEALED_TABLES.flatMap(({ table, fields, columns }) =>
    fields.flatMap((field, index) => {
      const rows = sqlite.prepare<[], { id: string; value: Buffer }>(
        `SELECT id, ${columns[index]} AS value FROM ${table}`,
      )
      return rows.all().map(({ id, value }) => ({ place: `${table}/${id}/${field}`, value }))
    }),
  )
  sqlite.close()
  return found
}

function bytesOf(file: string): Buffer {
  const parts = [file, `${file}-wal`].filter((part) => existsSync(part))
  return Buffer.concat(parts.map((part) => readFileSync(part)))
}

it('reseals every value, and leaves none under the old key in any row, page, gap or log', async () => {
  const { file } = await filled()
  const before = sealedValues(file)
  const kinds = new Set(before.map(({ place }) => place.replace(/\/.*\//, '.')))
  expect(kinds.size).toBe(SEALED_TABLES.flatMap(({ fields }) => fields).length)
  expect(bytesOf(file).includes(headerOf(from))).toBe(true)

  const rotation = rotateMasterKey(file, from, toNext, OPERATOR)
  expect(rotation).toEqual({
    resealed: {
      vaultCanary: 1,
      partnerSecrets: 2,
      users: 1,
      stores: 2,
      devices: 2,
      deviceRekeys: 1,
      bills: 1,
      payments: 1_201,
      ...{
        deletedPayments: 1,
        idempotencyKeys: 1,
        webhooks: 1,
        deliveries: 1,
        bankAccounts: 1,
        statementRows: 1,
      },
    },
    codesEnded: 1,
    scrubbed: true,
  })
  for (const when of ['closed', 'opened']) {
    if (when === 'opened') open(file, to)
    expect(bytesOf(file).includes(headerOf(from)), when).toBe(false)
  }
  const after = sealedValues(file)
  expect(after.map(({ place }) => place)).toEqual(before.map(({ place }) => place))
  for (const [index, { place, value }] of after.entries())
    expect(to.open(place, value)).toEqual(from.open(place, before[index]?.value ?? Buffer.alloc(0)))
})

it('changes nothing for the hub except the codes', async () => {
  const { file, clientId, speaker, first, answer, store, credentials, secrets, webhooks } = await filled()
  rotateMasterKey(file, from, toNext, OPERATOR)
  const storage = open(file, to)
  expect(await storage.stores.find(clientId, speaker.storeId)).toEqual(store)
  expect(store).toMatchObject({ totalTransaction: 1_202n, ownerName: 'TRAN VAN BINH JUNIOR' })
  expect(await storage.devices.credentials(speaker.serial)).toEqual(credentials)
  expect(await storage.partners.liveSecrets(clientId, AT)).toEqual(secrets)
  expect(secrets.map(({ secret }) => secret)).toEqual(['sbs_second', 'secret'])
  expect(await storage.tokens.grant(hashOf('a'))).toMatchObject({ clientId })
  expect(await webhooksOf(storage)).toEqual(webhooks)
  expect(await storage.payments.findByFtCode(clientId, first.ftCode)).toMatchObject({ payment: first })
  expect(await createShop(storage).pay(clientId, first)).toEqual({ kind: 'replayed', answer })
  expect(await createShop(storage).pay(clientId)).toMatchObject({ kind: 'recorded' })
})

it('ends the outstanding code; a new code with the same phone registers the same user', async () => {
  const { file, clientId, speaker, other } = await filled()
  rotateMasterKey(file, from, toNext, OPERATOR)
  const shop = createShop(open(file, to))
  const { devices } = open(file, to)
  const again = () => devices.register(byPartner(clientId), shop.registration(clientId, other.serial), AT)
  expect(await again()).toEqual({ kind: 'code_none' })
  await shop.issue(clientId, other)
  const registered = await again()
  await shop.issue(clientId, speaker)
  const first = await devices.register(byPartner(clientId), shop.registration(clientId, speaker.serial), AT)
  expect(registered).toMatchObject({ kind: 'registered', userId: expect.any(String) })
  expect(Object(first).userId).toBe(Object(registered).userId)
  const sqlite = new Database(file)
  const users = sqlite.prepare<[], { phone_hash: Buffer }>('SELECT phone_hash FROM users').all()
  sqlite.close()
  expect(users).toEqual([{ phone_hash: to.fingerprint(`users/${clientId}/phone`, '0912345678') }])
})

it('opens only under the new key afterwards', async () => {
  const { file } = await filled()
  rotateMasterKey(file, from, toNext, OPERATOR)
  expect(() => open(file, from)).toThrow(/The master key is not the one/)
  expect(() => rotateMasterKey(file, from, toNext, OPERATOR)).toThrow(/The master key is not the one/)
})

it('changes nothing when a value does not open, and names its place', async () => {
  const { file, speaker } = await filled()
  const sqlite = new Database(file)
  sqlite.prepare('UPDATE stores SET phone_number = owner_name WHERE id = ?').run(speaker.storeId)
  sqlite.close()
  const place = `stores/${speaker.storeId}/phoneNumber`
  expect(() => rotateMasterKey(file, from, toNext, OPERATOR)).toThrow(
    `Nothing was changed: the value at ${place}`,
  )
  for (const { place: where, value } of sealedValues(file))
    if (where !== place) expect(() => from.open(where, value), where).not.toThrow()
})

it('refuses while another process has the file open, before it prepares a key', async () => {
  const { file } = await filled()
  open(file, from)
  const prepare = () => {
    throw new Error('must not be asked for')
  }
  const rotate = () => rotateMasterKey(file, from, { ...toNext, prepare }, OPERATOR, { busyTimeoutMs: 10 })
  expect(rotate).toThrow(/in use by .*, and can't be shared: try again when that has ended\./)
})

it('locks out all other processes until the new key is in force', async () => {
  const { file } = await filled()
  const looks: unknown[] = []
  const look = () => {
    const other = new Database(file, { timeout: 0 })
    try {
      looks.push(other.prepare('SELECT id FROM vault_canary').get())
    } catch (error) {
      looks.push(Object(error).code)
    }
    other.close()
  }
  const prepare = () => {
    look()
    return to
  }
  rotateMasterKey(file, from, { prepare, adopt: look }, OPERATOR)
  expect(looks).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY'])
})
