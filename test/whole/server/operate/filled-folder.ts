import Database from 'better-sqlite3'
import { byPartner, HUB } from '../../../../server/security/actor.ts'
import { createVault } from '../../../../server/security/vault.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { openDataFolder } from '../../../../server/storage/sqlite/file/data-folder.ts'
import { openFolder, openHere } from '../../../../server/storage/sqlite/file/open-folder.ts'
import { lookIntoSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { boxOf, LABEL } from '../../../server/storage/boxes.ts'
import { AT, bornWith, createShop, hashOf, owned, payWell } from '../../../server/storage/shop.ts'
import { filledStatement } from '../../../server/storage/statement-world.ts'
import {
  deliveryOf,
  pending,
  progressOf,
  secretOf,
  webhookOf,
} from '../../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'

const HOUR_MS = 60 * 60_000
const WEBHOOKS = ['wh_1', 'wh_2']
/** More than two pages of an import. */
const OLD_CHANGES = 2_500
/** Opens the storage of the folder. */
export function openFilled(folder: string) {
  const options = { folder: openDataFolder(folder), masterKey: TEST_MASTER_KEY, ...storageOptions({}) }
  return openFolder(options, openHere)
}

/** A folder with rows in every table. */
export async function filledFolder() {
  const folder = temporaryFolder()
  const { storage } = await openFilled(folder)
  const shop = createShop(storage)
  const pair = (name: string) => ({
    ...{ accessHash: hashOf(`access ${name}`), refreshHash: hashOf(`refresh ${name}`) },
    accessExpiresAt: AT + HOUR_MS,
  })
  const clientId = await shop.partner('sbc_1')
  await storage.events.addTest(clientId, 'webhook', AT - HOUR_MS)
  await storage.retention.pruneEvents(AT, '')
  await storage.partners.rotateSecret(OPERATOR, clientId, 'newer', AT, AT + HOUR_MS)
  await storage.partners.disable(OPERATOR, await shop.partner('sbc_2'), AT)
  await storage.tokens.start(
    byPartner(clientId),
    { id: 'family', clientId, expiresAt: AT + 24 * HOUR_MS },
    pair('1'),
    AT,
  )
  await storage.tokens.rotate(HUB, hashOf('refresh 1'), pair('2'), AT)

  const first = await shop.speaker(clientId)
  const second = await shop.speaker(clientId, 'T2')
  const free = await shop.device('SB-FREE')
  await shop.issue(clientId, free, '654321')
  const owner = await owned(storage, first.deviceId)
  const able = bornWith({ firmware: '1.0', caps: ['rekey', 'update'], languages: ['vi', 'en'] })
  await storage.outbox.begin(owner, AT, { born: able })
  await storage.maintenance.rotate(
    OPERATOR,
    first.serial,
    { key: hashOf('key'), loginHash: hashOf('login') },
    AT,
  )
  const offer = { fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) }
  await storage.maintenance.offer(OPERATOR, first.serial, offer, AT)
  await storage.settings.change(byPartner(clientId), first.serial, { volume: 30 }, AT)
  await storage.health.record([
    { deviceId: first.deviceId, report: { battery: 50, signal: 3, volume: 30, queue: 0, at: AT } },
    { deviceId: first.deviceId, update: { fw: '2.0', state: 'downloading', percent: 5, at: AT } },
  ])
  await storage.bills.put(clientId, shop.bill(first.storeId), AT)
  await storage.bills.put(clientId, shop.bill(first.storeId, { billNumber: 'B2' }), AT)

  const ftCodes: string[] = []
  async function announced(terminalID = 'T1', billNumber = '') {
    const ftCode = `FT${ftCodes.length}`
    ftCodes.push(ftCode)
    const [one] = (await payWell(shop, clientId, { ftCode, terminalID, billNumber })).announcements
    return { announcementId: one?.id ?? '', commandNumber: one?.n ?? 0, deviceId: one?.deviceId ?? '' }
  }
  const long = AT - 48 * HOUR_MS
  const [old] = (await payWell(shop, clientId, { ftCode: 'FT-old', receivedAt: long })).announcements
  await storage.outbox.recordAck(
    {
      ...{ announcementId: old?.id ?? '', commandNumber: old?.n ?? 0, deviceId: first.deviceId },
      ...{ stage: 'played', reason: undefined },
    },
    long,
  )
  await storage.retention.prunePayments(AT - 24 * HOUR_MS, '', AT)
  for (const stage of ['received', 'played', 'failed', 'expired'] as const) {
    const one = await announced('T1', stage === 'played' ? 'B1' : '')
    await storage.outbox.markSent(one.announcementId, owner, AT)
    await storage.outbox.recordAck({ ...one, stage, reason: undefined }, AT)
  }
  await storage.outbox.markSent((await announced()).announcementId, owner, AT)
  await announced()
  await announced('T2')
  const box = await addBox(storage, shop, clientId)
  const taken = {
    ...(await announced('T-box')),
    stage: 'delivered',
    reason: undefined,
    proof: 'none',
  } as const
  await storage.outbox.recordAck(taken, AT)
  await storage.devices.setActive(byPartner(clientId), second.serial, false, AT)
  for (const id of WEBHOOKS)
    await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, id), secretOf(id))
  await filledStatement(storage, clientId)
  await storage.webhooks.change(byPartner(clientId), 'wh_2', { types: ['bill.paid', 'webhook.test'] }, AT)
  await storage.webhooks.rotate(byPartner(clientId), 'wh_2', secretOf('second'), AT, AT + HOUR_MS)
  const [event] = (await storage.events.page(clientId, { after: 0, limit: 1 })).events
  const seq = event?.seq ?? 0
  const deliveries = [deliveryOf('wh_1', seq), deliveryOf('wh_1', seq + 1, pending(AT))]
  await storage.webhookQueue.store([progressOf('wh_1', { deliveries, failingSince: AT })], AT)
  await storage.webhooks.replayRange(OPERATOR, 'wh_1', { after: seq, upTo: seq + 10, count: 1 }, AT)
  await storage.idempotency.keep(
    hashOf('key'),
    { request: hashOf('request'), outcome: { kind: 'done', status: 201, body: '{"storeName":"Phở Hà"}' } },
    AT,
    AT + 24 * HOUR_MS,
  )
  storage.close()

  const sqlite = new Database(openDataFolder(folder).databaseFile)
  sqlite.exec(
    `INSERT INTO missed_marks (device_number, up_to, excepted, shown_at) VALUES (1, 3, '[1, 2]', ${AT})`,
  )
  sqlite.exec(
    `WITH RECURSIVE steps (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM steps WHERE at < ${OLD_CHANGES})
     INSERT INTO audit (at, actor_kind, actor, action, subject, details)
     SELECT at, 'operator', 'lan', 'device.add', 'SB-' || at, '{"b":1,"a":["x",2]}' FROM steps`,
  )
  sqlite.close()
  return { folder, clientId, ftCodes, devices: [first, second, free, box] }
}

/** A speaker of another maker, with a profile of its own and an amount from its keypad. */
async function addBox(storage: Storage, shop: ReturnType<typeof createShop>, clientId: string) {
  const box = boxOf('one', { profile: 'own', document: '{"name":"own"}' })
  await storage.devices.mintBox(OPERATOR, box)
  const { store } = shop.registration(clientId, box.serial)
  const asked = { codeHashes: [], label: LABEL, store: { ...store, terminalID: 'T-box' } }
  await storage.devices.register(byPartner(clientId), shop.registration(clientId, box.serial, asked), AT)
  const { id: deviceId, serial, key } = box
  const keyed = { deviceId, requestId: '1', amount: '5000', keyedId: 'K1', storeId: undefined }
  await storage.keyed.key(clientId, { ...keyed, expiresAt: AT + HOUR_MS }, AT)
  return { deviceId, serial, key }
}
type Filled = Awaited<ReturnType<typeof filledFolder>>

/** What the ports answer about a filled folder. */
export async function answers(storage: Storage, { clientId, ftCodes, devices }: Filled) {
  const ofDevice = async ({ deviceId, serial }: Filled['devices'][number]) => ({
    credentials: await storage.devices.credentials(serial),
    report: await storage.lists.devices.find(serial, undefined),
    announcements: await storage.lists.announcements.ofDevice({ deviceId, serial }, 0, { limit: 100 }),
    codes: await storage.codes.before(clientId, deviceId),
    settings: await storage.settings.find(OPERATOR, serial),
    highest: await storage.outbox.highestNumber(deviceId),
    open: await storage.outbox.open(deviceId, AT),
    missed: await storage.outbox.missed(deviceId),
    screen: await storage.outbox.screen(deviceId, AT),
  })
  const all = { limit: 10_000 }
  return {
    partners: await storage.partners.list(),
    secrets: await storage.partners.liveSecrets(clientId, AT),
    grants: [await storage.tokens.grant(hashOf('access 1')), await storage.tokens.grant(hashOf('access 2'))],
    refresh: await storage.tokens.judge(hashOf('refresh 2'), AT),
    devices: await Promise.all(devices.map(ofDevice)),
    list: await storage.devices.list(),
    box: await storage.devices.boxLogin(['W-one']),
    profiles: await storage.profiles.list(),
    due: await storage.settings.due(devices.map(({ serial }) => serial)),
    maintenance: await storage.maintenance.due(devices.map(({ deviceId }) => deviceId)),
    stores: await storage.lists.stores.page({}, all),
    payments: await storage.lists.payments.page({}, { limit: 100 }),
    found: await Promise.all(ftCodes.map((ftCode) => storage.payments.findByFtCode(clientId, ftCode))),
    backlog: await storage.outbox.backlog(),
    events: await storage.events.page(clientId, { after: 0, limit: 100 }),
    // No session goes on after an import.
    told: (await storage.health.toldOnline()).devices.map(({ deviceId, leftAt }) => ({ deviceId, leftAt })),
    webhooks: await storage.webhooks.list(clientId),
    sending: await storage.webhookQueue.sending(),
    deliveries: await storage.webhooks.deliveries('wh_1', { state: undefined }, { limit: 10 }),
    webhookCounts: await storage.webhookQueue.counts(),
    outcome: await storage.idempotency.find(hashOf('key'), AT),
    audit: (await storage.audit.list(all)).filter(({ action }) => action !== 'database.import'),
  }
}

/** The same, of the folder itself. */
export async function answersThere(filled: Filled) {
  const { databaseFile } = openDataFolder(filled.folder)
  const storage = lookIntoSqliteStorage(databaseFile, storageOptions({ vault: createVault(TEST_MASTER_KEY) }))
  try {
    return await answers(storage, filled)
  } finally {
    storage.close()
  }
}
