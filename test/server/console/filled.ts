import type { Registration } from '../../../server/devices/ports.ts'
import { manageSessions } from '../../../server/operators/manage-sessions.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { byPartner, HUB } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'
import { LOTUS } from '../../support/statements/banks.ts'
import { boxOf, LABEL } from '../storage/boxes.ts'
import { bornWith, createShop, ownerOf, payWell } from '../storage/shop.ts'
import { verbsOn } from '../storage/statement-world.ts'
import { attemptAt, deliveryOf, progressOf, secretOf, webhookOf } from '../storage/webhook-world.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 24 * 60 * 60_000]

/** What partners, devices and processors write, and the console shows. */
export const PLAIN = {
  partnerName: 'Ví Sao Mai',
  storeName: 'Quán Cà Phê Sáng',
  terminalID: 'T-01',
  bankName: 'MB Bank',
  bankCode: 'MB',
  account: '0123456789',
  holder: 'NGUYEN VAN A',
  ftCode: 'FT26331000001',
  trace: '118204',
  billNumber: 'HD-0042',
  notice: 'Thanh toan don hang 42',
  model: 'SB-300',
  firmware: '2.1.0',
  update: '2.2.0',
  reset: 'watchdog',
  modem: 'no carrier',
  description: 'Orders of the shop',
  reply: 'busy',
  error: 'The connection was refused.',
}
export type Texts = typeof PLAIN

/** What the console's pages are about. */
export interface Filled {
  serial: string
  /** Of a box of another maker. */
  boxSerial: string
  paymentId: string
  webhookId: string
  statementId: string
  texts: Texts
}

/** Fills a hub with a shop, speakers, payments at several stages and a webhook that fails. */
export async function fillHub(storage: Storage, texts: Texts = PLAIN): Promise<Filled> {
  const shop = createShop(storage)
  const now = Date.now()
  const clientId = shop.ids.clientId()
  const { terminalID, storeName, bankName, bankCode } = texts
  await storage.partners.create(
    OPERATOR,
    { clientId, name: texts.partnerName, disabledAt: undefined, createdAt: now - 30 * DAY_MS },
    'secret',
  )
  const webhookId = `wh_${shop.ids.uuid()}`
  await storage.webhooks.add(
    HUB,
    // Of a type of which there is no event: the hub has nothing to try, and the circuit stays as it is stored.
    { ...webhookOf(clientId, webhookId), description: texts.description, types: ['device.locked'] },
    secretOf('one'),
  )
  const device = await shop.device()
  await shop.device()
  await shop.issue(clientId, device, '123456', now - DAY_MS)
  const store = {
    ...{ terminalID, storeName, bankName, bankCode, bankAccountNumber: texts.account },
    ...{ bankAccountName: texts.holder, phoneNumber: '0912345678' },
  }
  const registration = shop.registration(clientId, device.serial, { store })
  const registered = await storage.devices.register(byPartner(clientId), registration, now - DAY_MS)
  if (registered.kind !== 'registered') throw new Error(`not registered: ${registered.kind}`)

  const { deviceId } = device
  const { model, firmware } = texts
  const born = bornWith({ model, firmware, languages: ['vi'], caps: ['rekey'] })
  await storage.outbox.begin(ownerOf(deviceId), now - 60 * MINUTE_MS, { born })
  const update = { fw: texts.update, state: 'downloading' as const, percent: 40 }
  const readings = { battery: 12, charging: true, signal: 3, volume: 70, queue: 0, at: now - MINUTE_MS }
  const [start, at] = [{ reset: texts.reset, uptime: 90, crashes: 2, modem: texts.modem }, now - MINUTE_MS]
  await storage.health.record([
    { deviceId, report: readings, update: { ...update, at }, runtime: { ...start, at } },
  ])

  const box = await addBox(storage, clientId, store, now)
  let paymentId = ''
  for (const [n, stage] of (['played', 'failed', 'received', undefined] as const).entries()) {
    paymentId = shop.ids.uuid()
    const at = now - (4 - n) * MINUTE_MS
    await payWell(shop, clientId, {
      ...{ id: paymentId, terminalID, bankCode, ftCode: `${texts.ftCode}${n}`, receivedAt: at, paidAt: at },
      ...{ traceTransfer: `${texts.trace}${n}`, billNumber: texts.billNumber, notice: texts.notice },
      amount: String(216_000 + n),
    })
    const asked = (await storage.outbox.open(deviceId, at)).at(-1)
    const step = { announcementId: asked?.id ?? '', commandNumber: asked?.n ?? 0, deviceId }
    const reason = stage === 'failed' ? ('no_clip' as const) : undefined
    if (stage !== undefined) await storage.outbox.recordAck({ ...step, stage, reason }, at + 900)
    if (n < 3) await deliver(storage, box.id, at, n === 1)
  }

  const seq = (await storage.events.heads([clientId])).get(clientId) ?? 0
  const attempt = { ms: 12, reply: texts.reply, status: undefined, error: texts.error }
  const delivery = deliveryOf(webhookId, seq, {
    ...{ state: 'pending', nextAt: now + MINUTE_MS },
    attempts: [attemptAt(now, attempt)],
  })
  const progress = { deliveries: [delivery], failingSince: now - MINUTE_MS, probeAt: now + MINUTE_MS }
  await storage.webhookQueue.store([progressOf(webhookId, progress)], now)
  return {
    ...{ serial: device.serial, boxSerial: box.serial, paymentId, webhookId, texts },
    statementId: await importStatement(storage, clientId, texts),
  }
}

/** A box of another maker at the same shop. Its login is weak. */
async function addBox(storage: Storage, clientId: string, store: Registration['store'], now: number) {
  const shop = createShop(storage)
  const id = shop.ids.uuid()
  const box = boxOf(id.slice(-6), { id, dialect: 'oneway', profile: 'morefun' })
  const added = await storage.devices.mintBox(OPERATOR, box)
  const asked = shop.registration(clientId, box.serial, { store, codeHashes: [], label: LABEL })
  const { kind } = await storage.devices.register(byPartner(clientId), asked, now - DAY_MS)
  if (added !== 'added' || kind !== 'registered') throw new Error(`no box: ${added}, ${kind}`)
  await connect(storage, box.id, now - 60 * MINUTE_MS)
  return box
}

const connect = (storage: Storage, deviceId: string, at: number) =>
  storage.outbox.begin(ownerOf(deviceId), at, {
    born: bornWith({ model: 'morefun', languages: ['vi'], box: { mayRepeat: true, until: 'received' } }),
  })

/** The box gets its announcement of a payment. `again`: its first PUBACK was lost. */
async function deliver(storage: Storage, deviceId: string, at: number, again: boolean) {
  const asked = (await storage.outbox.open(deviceId, at)).at(-1)
  if (!asked) throw new Error('the box has nothing to announce')
  await storage.outbox.markSent(asked.id, ownerOf(deviceId), at + 100)
  if (again) await connect(storage, deviceId, at + 20_000)
  const ack = { announcementId: asked.id, commandNumber: asked.n, deviceId, reason: undefined }
  await storage.outbox.recordAck({ ...ack, stage: 'delivered', proof: 'none' }, at + 21_000)
}

/** A statement of today with a row that is to be decided, and one of money that no payment has. */
async function importStatement(storage: Storage, clientId: string, { account, notice }: Texts) {
  const verbs = verbsOn(storage, { at: Date.now() })
  const { name, profile } = LOTUS
  if (profile) await verbs.saveProfile(OPERATOR, name, profile)
  const row = {
    at: Date.now(),
    direction: 'credit',
    reference: '',
    text: `Nộp tiền ${notice.slice(0, 1_000)}`,
  } as const
  const bytes = LOTUS.write(
    [216_003, 9_000].map((amount) => ({ ...row, amount })),
    0,
  )
  return verbs.importStatement(OPERATOR, { clientId, account, profile: name, bytes })
}

type Address = (filled: Filled) => string

/** An address of each GET route of people who are logged in, by its path. */
const ADDRESSES: Readonly<Record<string, Address>> = {
  '/': () => '/',
  '/devices': () => '/devices',
  '/devices/:serial': ({ serial }) => `/devices/${serial}?done=settings`,
  '/devices/:serial/revoke': ({ serial }) => `/devices/${serial}/revoke`,
  '/payments': () => '/payments?from=7d',
  '/payments/:id': ({ paymentId }) => `/payments/${paymentId}`,
  '/day': () => '/day',
  '/day/import': () => '/day/import',
  '/day/profiles': () => '/day/profiles?done=saved&name=lotus',
  '/day/profile': () => '/day/profile?name=lotus',
  '/day/statements/:id': ({ statementId }) => `/day/statements/${statementId}`,
  '/day/statements/:id/sign': ({ statementId }) => `/day/statements/${statementId}/sign`,
  '/webhooks': () => '/webhooks',
  '/webhooks/:id': ({ webhookId }) => `/webhooks/${webhookId}?done=replayed&count=3`,
  '/webhooks/:id/replay': ({ webhookId }) => `/webhooks/${webhookId}/replay?since=2h`,
  '/search': ({ texts }) => `/search?${new URLSearchParams({ q: texts.billNumber.slice(0, 128) })}`,
  '/audit': () => '/audit',
  '/sessions': () => '/sessions?done=ended',
  '/clock': () => '/clock',
}

/** These are no pages. */
const NO_PAGES = ['/line/live', '/day/statements']

interface Listed {
  method: string
  path: string
}

/** Addresses of pages: one of each GET route. Throws for a route whose address is not known here. */
export function addressesOf(routes: readonly Listed[], filled: Filled): string[] {
  const pages = routes.filter(({ method, path }) => method === 'GET' && !NO_PAGES.includes(path))
  const unknown = pages.filter(({ path }) => ADDRESSES[path] === undefined)
  if (unknown.length > 0)
    throw new Error(`test/server/console/filled.ts has no address for ${unknown.map(({ path }) => path)}`)
  const addresses = pages.map(({ path }) => ADDRESSES[path]?.(filled) ?? '')
  return addresses.includes('/devices') ? [...addresses, `/devices/${filled.boxSerial}`] : addresses
}

export function linkTo(storage: Storage, role: 'viewer' | 'admin'): Promise<string> {
  const { operators } = storage
  const sessions = manageSessions({ operators, clock: systemClock, ids: createRandomIds() })
  return sessions.makeLink(OPERATOR, { name: 'Minh', role })
}
