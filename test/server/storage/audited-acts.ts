import { HUB } from '../../../server/security/actor.ts'
import type { ActName } from '../../../server/storage/writer/acts.ts'
import { OPERATOR } from '../../support/actors.ts'
import { type Audited, audited, CLIENT, type World } from './audited.ts'
import { STATEMENT_ACTS } from './audited-statements.ts'
import { boxOf } from './boxes.ts'
import { AT, hashOf } from './shop.ts'
import { deliveryOf, progressOf, secretOf, webhookOf } from './webhook-world.ts'

const pair = (name: string) => ({
  accessHash: hashOf(`access ${name}`),
  refreshHash: hashOf(`refresh ${name}`),
  accessExpiresAt: AT + 1_000,
})
const family = (id: string) => ({ id, clientId: CLIENT, expiresAt: AT + 1_000_000 })
const next = { key: hashOf('key'), loginHash: hashOf('login') }
const offer = { fw: '2.0', url: 'https://updates.example/', size: 1, sha256: 'A'.repeat(43) }

/** A device with a code on its screen, and what registers it. */
async function withCode({ shop }: World, code?: string) {
  const device = await shop.device()
  await shop.issue(CLIENT, device)
  return shop.registration(CLIENT, device.serial, code ? { codeHashes: [hashOf(code)] } : {})
}

async function locked({ speaker, storage }: World) {
  const one = await speaker()
  await storage.devices.setActive(OPERATOR, one.serial, false, AT)
  return one
}

async function withPayment(world: World) {
  const { terminalID } = await locked(world)
  await world.shop.pay(CLIENT, { terminalID })
}

const DEVICE = 'a device or the delivery to it causes it, and its own rows tell it'
const RECORD = 'it is its own record'
const UPKEEP = 'it deletes what has expired'

/** All acts that write. An act without a row has the reason. */
export const ACTS: Record<ActName, Audited | readonly Audited[] | string> = {
  answer: 'it stores nothing',
  ping: 'it changes nothing',
  'partners.create': audited(
    'partner.create',
    () => ({ clientId: 'sbc_new', name: 'Beta', disabledAt: undefined, createdAt: AT }),
    ({ partners }, by, partner) => partners.create(by, partner, 'secret'),
  ),
  'partners.disable': audited(
    'partner.disable',
    ({ shop }) => shop.partner(),
    ({ partners }, by, clientId) => partners.disable(by, clientId, AT),
  ),
  'partners.enable': audited(
    'partner.enable',
    async ({ shop, storage }) => {
      const clientId = await shop.partner()
      await storage.partners.disable(OPERATOR, clientId, AT)
      return clientId
    },
    ({ partners }, by, clientId) => partners.enable(by, clientId, AT),
  ),
  'partners.rotateSecret': audited(
    'partner.rotate-secret',
    ({ shop }) => shop.partner(),
    ({ partners }, by, clientId) => partners.rotateSecret(by, clientId, 'other', AT, AT + 1_000),
  ),
  'tokens.start': audited(
    'token.start',
    () => family('first'),
    ({ tokens }, by, first) => tokens.start(by, first, pair('first'), AT),
  ),
  'tokens.rotate': audited(
    'token.revoke',
    async ({ storage: { tokens } }) => {
      await tokens.start(HUB, family('stolen'), pair('1'), AT)
      await tokens.rotate(HUB, pair('1').refreshHash, pair('2'), AT)
      await tokens.rotate(HUB, pair('2').refreshHash, pair('3'), AT)
    },
    ({ tokens }, by) => tokens.rotate(by, pair('1').refreshHash, pair('4'), AT),
  ),
  'devices.mint': audited(
    'device.add',
    ({ shop }) => ({ id: shop.ids.uuid(), serial: shop.ids.serial(), key: hashOf('k'), at: AT }),
    ({ devices }, by, device) => devices.mint(by, { ...device, loginHash: hashOf('l') }),
  ),
  'devices.mintBox': audited(
    'device.add',
    () => boxOf('audited'),
    ({ devices }, by, box) => devices.mintBox(by, box),
  ),
  'devices.revoke': audited(
    'device.revoke',
    ({ shop }) => shop.device(),
    ({ devices }, by, { serial }) => devices.revoke(by, serial, AT),
  ),
  'devices.register': [
    audited('device.register', withCode, ({ devices }, by, asked) => devices.register(by, asked, AT)),
    audited(
      'code.burn',
      (world) => withCode(world, '999999'),
      ({ devices }, by, asked) => devices.register(by, asked, AT),
    ),
  ],
  'profiles.save': audited(
    'profile.save',
    () => 'own',
    ({ profiles }, by, name) => profiles.save(by, name, '{}', AT),
  ),
  'keyed.key': DEVICE,
  'devices.unregister': audited(
    'device.unregister',
    ({ speaker }) => speaker(),
    ({ devices }, by, { serial }) => devices.unregister(by, serial, AT),
  ),
  'devices.setActive': [
    audited(
      'device.lock',
      ({ speaker }) => speaker(),
      ({ devices }, by, { serial }) => devices.setActive(by, serial, false, AT),
    ),
    audited('device.unlock', locked, ({ devices }, by, { serial }) =>
      devices.setActive(by, serial, true, AT),
    ),
  ],
  'devices.askIdentify': audited(
    'device.identify',
    ({ shop }) => shop.device(),
    ({ devices }, by, { serial }) => devices.askIdentify(by, serial, AT),
  ),
  'devices.takeIdentifyRequests': DEVICE,
  'devices.recordIdentified': DEVICE,
  'maintenance.rotate': audited(
    'device.rotate',
    ({ shop }) => shop.device(),
    ({ maintenance }, by, { serial }) => maintenance.rotate(by, serial, next, AT),
  ),
  'maintenance.offer': audited(
    'device.update',
    ({ shop }) => shop.device(),
    ({ maintenance }, by, { serial }) => maintenance.offer(by, serial, offer, AT),
  ),
  'health.record': DEVICE,
  'health.tellOffline': DEVICE,
  'codes.issue': audited(
    'code.issue',
    ({ shop }) => shop.device(),
    ({ codes }, by, { deviceId }) =>
      codes.issue(by, { id: 'code', deviceId, clientId: CLIENT, hash: hashOf('1'), expiresAt: AT + 1 }, AT),
  ),
  'settings.change': audited(
    'device.settings',
    ({ speaker }) => speaker(),
    ({ settings }, by, { serial }) => settings.change(by, serial, { volume: 50, lang: 'vi' }, AT),
  ),
  'settings.report': DEVICE,
  'stores.update': audited(
    'store.update',
    ({ speaker }) => speaker(),
    ({ stores }, by, { storeId }) => stores.update(by, storeId, { storeName: 'X' }, AT),
  ),
  'stores.indexNames': 'it writes again what is there already',
  'bills.put': RECORD,
  'payments.record': RECORD,
  'payments.sumUp': 'it adds up what is there already',
  'payments.unseal': audited(
    'payment.unseal',
    async (world) => {
      await withPayment(world)
      const { rows } = await world.storage.lists.payments.page({}, { limit: 1 })
      return { id: rows[0]?.payment.id ?? '', cursor: rows[0]?.cursor ?? '' }
    },
    ({ payments }, by, payment) => payments.unseal(by, payment, AT),
  ),
  'outbox.nextNumber': DEVICE,
  'outbox.take': DEVICE,
  'outbox.markSent': DEVICE,
  'outbox.recordAck': DEVICE,
  'outbox.expire': DEVICE,
  'outbox.clockSetBack': DEVICE,
  'outbox.begin': DEVICE,
  'outbox.leave': DEVICE,
  'outbox.markMissedShown': DEVICE,
  'events.addTest': RECORD,
  'webhooks.add': audited(
    'webhook.create',
    () => webhookOf(CLIENT, 'wh_new'),
    ({ webhooks }, by, webhook) => webhooks.add(by, webhook, secretOf('first')),
  ),
  'webhooks.change': audited(
    'webhook.change',
    ({ webhook }) => webhook(),
    ({ webhooks }, by, id) => webhooks.change(by, id, { description: 'Till 1' }, AT),
  ),
  'webhooks.remove': audited(
    'webhook.delete',
    ({ webhook }) => webhook(),
    ({ webhooks }, by, id) => webhooks.remove(by, id, AT),
  ),
  'webhooks.rotate': audited(
    'webhook.rotate',
    ({ webhook }) => webhook(),
    ({ webhooks }, by, id) => webhooks.rotate(by, id, secretOf('second'), AT, AT + 1_000),
  ),
  'webhooks.replay': audited(
    'webhook.replay',
    async ({ storage, webhook }) => {
      const id = await webhook()
      const eventId = await storage.events.addTest(CLIENT, id, AT)
      return { id, event: { eventId, seq: AT * 1_000, type: 'webhook.test' as const } }
    },
    ({ webhooks }, by, { id, event }) => webhooks.replay(by, id, event, AT),
  ),
  'webhooks.replayRange': audited(
    'webhook.replay',
    ({ webhook }) => webhook(),
    ({ webhooks }, by, id) => webhooks.replayRange(by, id, { after: 0, upTo: AT * 1_000, count: 1 }, AT),
  ),
  'webhookQueue.store': {
    ...audited(
      'webhook.disable',
      ({ webhook }) => webhook(),
      ({ webhookQueue }, _, id) =>
        webhookQueue.store([progressOf(id, { deliveries: [deliveryOf(id, 1)], disabled: 'gone' })], AT + 2),
    ),
    isOfTheHub: true,
  },
  ...STATEMENT_ACTS,
  'idempotency.keep': RECORD,
  'operators.addLink': audited(
    'console.link',
    () => ({ hash: hashOf('link'), name: 'minh', role: 'viewer' as const, expiresAt: AT + 1 }),
    ({ operators }, by, link) => operators.addLink(by, link, AT),
  ),
  'operators.logIn': 'its row names the person of the link: see contract/operators.ts',
  'operators.noteUse': 'it changes nothing but when a session was used',
  'operators.end': audited(
    'console.logout',
    async ({ storage: { operators } }) => {
      await operators.addLink(
        OPERATOR,
        { hash: hashOf('l'), name: 'minh', role: 'viewer', expiresAt: AT + 1 },
        AT,
      )
      return operators.logIn(hashOf('l'), { id: 's', hash: hashOf('s') }, AT)
    },
    ({ operators }, by, session) => operators.end(by, session?.id ?? '', AT),
  ),
  'retention.prunePayments': {
    ...audited('payment.prune', withPayment, ({ retention }) => retention.prunePayments(AT + 1, '', AT + 1)),
    isOfTheHub: true,
  },
  'retention.forgetDeleted': UPKEEP,
  'retention.pruneEvents': UPKEEP,
  'retention.pruneCodes': UPKEEP,
  'retention.pruneTokens': UPKEEP,
  'retention.pruneIdempotencyKeys': UPKEEP,
  'retention.pruneAudit': UPKEEP,
  'retention.noteClock': audited(
    'clock.confirm',
    () => undefined,
    ({ retention }, by) => retention.noteClock(by, 'clock.confirm', AT, {}),
  ),
}
