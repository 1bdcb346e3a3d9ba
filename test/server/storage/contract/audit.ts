import { expect, it } from 'vitest'
import { byPartner, HUB } from '../../../../server/security/actor.ts'
import type { AuditRow } from '../../../../server/storage/audit.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop, hashOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const HOUR_MS = 60 * 60_000
const all = { limit: 1_000 }

/** What was noted since the last look, oldest first, each as its actor, action, subject and details. */
function look(storage: Storage) {
  let seen = 0
  return async function noted() {
    const rows = (await storage.audit.list(all)).filter(({ id }) => id > seen).reverse()
    seen = rows.at(-1)?.id ?? seen
    return rows.map(({ actor, action, subject, details }: AuditRow) => [actor, action, subject, details])
  }
}

async function world(open: OpenStorage) {
  const { storage, reopen } = await open()
  const shop = createShop(storage)
  const clientId = await shop.partner('sbc_1')
  const speaker = await shop.speaker(clientId)
  const noted = look(storage)
  await noted()
  return { storage, reopen, shop, clientId, speaker, serial: speaker.serial, noted }
}

const pair = (name: string) => ({
  accessHash: hashOf(`access ${name}`),
  refreshHash: hashOf(`refresh ${name}`),
  accessExpiresAt: AT + HOUR_MS,
})

export function auditContract(open: OpenStorage) {
  it('has one row for each change of a partner; a change that changes nothing leaves none', async () => {
    const { storage, noted } = await world(open)
    const { partners } = storage
    await partners.create(
      OPERATOR,
      { clientId: 'sbc_2', name: 'Beta', disabledAt: undefined, createdAt: AT },
      'secret',
    )
    for (const _ of [1, 2]) await partners.disable(OPERATOR, 'sbc_2', AT)
    for (const _ of [1, 2]) await partners.enable(OPERATOR, 'sbc_2', AT)
    await partners.rotateSecret(OPERATOR, 'sbc_2', 'other', AT, AT + HOUR_MS)
    const oldSecretExpiresAt = new Date(AT + HOUR_MS).toISOString()
    expect(await noted()).toEqual([
      ['lan', 'partner.create', 'sbc_2', { name: 'Beta' }],
      ['lan', 'partner.disable', 'sbc_2', {}],
      ['lan', 'partner.enable', 'sbc_2', {}],
      ['lan', 'partner.rotate-secret', 'sbc_2', { oldSecretExpiresAt }],
    ])
  })

  it('has one row for each change of a device, by its partner or the operator', async () => {
    const { storage, shop, clientId, serial, noted } = await world(open)
    const { devices, maintenance, settings } = storage
    const free = await shop.device('SPK-FREE')
    for (const active of [true, false, false, true])
      await devices.setActive(byPartner(clientId), serial, active, AT)
    await settings.change(byPartner(clientId), serial, { volume: 50, lang: 'vi' }, AT)
    await settings.change(OPERATOR, serial, { volume: 70 }, AT)
    await settings.change(OPERATOR, serial, { volume: 70 }, AT)
    await devices.askIdentify(OPERATOR, serial, AT)
    await maintenance.rotate(OPERATOR, serial, { key: hashOf('key'), loginHash: hashOf('login') }, AT)
    const offer = { fw: '2.0', url: 'https://updates.example/', size: 1, sha256: 'A'.repeat(43) }
    await maintenance.offer(OPERATOR, serial, offer, AT)
    await devices.unregister(byPartner(clientId), serial, AT)
    for (const _ of [1, 2]) await devices.revoke(OPERATOR, free.serial, AT)
    expect(await noted()).toEqual([
      ['lan', 'device.add', 'SPK-FREE', {}],
      [clientId, 'device.lock', serial, {}],
      [clientId, 'device.unlock', serial, {}],
      [clientId, 'device.settings', serial, { volume: [null, 50], lang: [null, 'vi'] }],
      ['lan', 'device.settings', serial, { volume: [50, 70] }],
      ['lan', 'device.identify', serial, {}],
      ['lan', 'device.rotate', serial, {}],
      ['lan', 'device.update', serial, { fw: '2.0' }],
      [clientId, 'device.unregister', serial, {}],
      ['lan', 'device.revoke', 'SPK-FREE', {}],
    ])
  })

  it('has the way of a registration: the code, a wrong one, the store by the names of its fields', async () => {
    const { storage, shop, clientId, speaker, noted } = await world(open)
    const device = await shop.device('SPK-NEW')
    const register = async (codeHash: Buffer, storeName: string) => {
      await shop.issue(clientId, device)
      const store = { terminalID: 'T2', phoneNumber: '0912345678', storeName }
      return storage.devices.register(
        byPartner(clientId),
        shop.registration(clientId, device.serial, { codeHashes: [codeHash], store }),
        AT,
      )
    }
    await noted()
    expect(await register(hashOf('999999'), 'One')).toMatchObject({ kind: 'code_wrong' })
    const first = await register(hashOf('123456'), 'One')
    const storeId = first.kind === 'registered' ? first.store.id : ''
    await register(hashOf('123456'), 'Two')
    const issued = [clientId, 'code.issue', 'SPK-NEW', {}]
    expect(await noted()).toEqual([
      issued,
      [clientId, 'code.burn', 'SPK-NEW', {}],
      issued,
      [clientId, 'device.register', 'SPK-NEW', { storeId, created: true }],
      issued,
      [clientId, 'device.register', 'SPK-NEW', { storeId, changed: ['storeName'] }],
    ])
    const change = { storeName: 'Phở Hà', ownerName: 'TRAN VAN BINH', bankAccountNumber: '99887766' }
    for (const _ of [1, 2]) await storage.stores.update(byPartner(clientId), speaker.storeId, change, AT)
    const changed = ['ownerName', 'bankAccountNumber']
    expect(await noted()).toEqual([[clientId, 'store.update', speaker.storeId, { changed }]])
  })

  it('counts the logins of a partner by the hour, and has the end of a stolen family', async () => {
    const { storage, clientId, noted } = await world(open)
    const { tokens } = storage
    const logIn = (id: string, at: number) =>
      tokens.start(byPartner(clientId), { id, clientId, expiresAt: AT + 100 * HOUR_MS }, pair(id), at)
    for (const [id, at] of Object.entries({ a: AT, b: AT + 1, c: AT + HOUR_MS, d: AT + HOUR_MS - 1 }))
      await logIn(id, at)
    await tokens.rotate(HUB, pair('a').refreshHash, pair('a2'), AT + 2)
    await tokens.rotate(HUB, pair('a2').refreshHash, pair('a3'), AT + 3)
    expect(await tokens.rotate(HUB, pair('a').refreshHash, pair('a4'), AT + 4)).toEqual({ kind: 'reused' })
    await tokens.rotate(HUB, pair('a').refreshHash, pair('a5'), AT + 5)
    expect(await noted()).toEqual([
      [clientId, 'token.start', clientId, { count: 3 }],
      [clientId, 'token.start', clientId, { count: 1 }],
      ['hub', 'token.revoke', clientId, { reason: 'a replaced refresh token was used again' }],
    ])
  })

  it('has no row of a change that is refused or fails, and one of each that shares its commit', async () => {
    const { storage, shop, clientId, serial, speaker, noted } = await world(open)
    const foreign = await shop.partner('sbc_2')
    await storage.devices.register(
      byPartner(clientId),
      shop.registration(clientId, (await shop.device('SPK-2')).serial, { codeHashes: [hashOf('none')] }),
      AT,
    )
    await noted()
    const { partners, devices, settings, stores } = storage
    const again = { clientId, name: 'Again', disabledAt: undefined, createdAt: AT }
    const ended = await Promise.allSettled([
      partners.create(OPERATOR, again, 'secret'),
      devices.setActive(byPartner(clientId), serial, false, AT),
      partners.disable(OPERATOR, 'sbc_none', AT),
      devices.revoke(OPERATOR, 'SPK-NONE', AT),
      devices.askIdentify(OPERATOR, 'SPK-NONE', AT),
      devices.unregister(byPartner(foreign), serial, AT),
      devices.setActive(byPartner(foreign), serial, false, AT),
      settings.change(byPartner(foreign), serial, { volume: 1, lang: 'vi' }, AT),
      settings.change(byPartner(clientId), serial, { volume: 1 }, AT),
      stores.update(byPartner(foreign), speaker.storeId, { storeName: 'X' }, AT),
      devices.mint(OPERATOR, {
        id: 'id',
        serial,
        key: Buffer.alloc(32),
        loginHash: Buffer.alloc(32),
        at: AT,
      }),
    ])
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(await noted()).toEqual([[clientId, 'device.lock', serial, {}]])
  })

  it('has no row of a payment, and one a day for those that retention deletes', async () => {
    const { storage, shop, clientId, serial, noted } = await world(open)
    await storage.devices.setActive(byPartner(clientId), serial, false, AT)
    await noted()
    for (const ftCode of ['FT-1', 'FT-2', 'FT-3']) await shop.pay(clientId, { ftCode })
    for (const ftCode of ['FT-4', 'FT-5']) await shop.pay(clientId, { ftCode, receivedAt: AT + HOUR_MS })
    expect(await noted()).toEqual([])
    const prune = (before: number, at: number) => storage.retention.prunePayments(before, '', at)
    expect(await prune(AT + 1, AT + 1)).toMatchObject({ deleted: 3 })
    expect(await prune(AT + 2 * HOUR_MS, AT + 2 * HOUR_MS)).toMatchObject({ deleted: 2 })
    expect(await prune(AT + 2 * HOUR_MS, AT + 2 * HOUR_MS)).toMatchObject({ deleted: 0 })
    expect(await noted()).toEqual([['hub', 'payment.prune', '', { count: 5 }]])
  })

  it('lists the newest first, by filters and pages, also after reopening', async () => {
    const { storage, reopen, clientId, serial } = await world(open)
    for (const hour of [1, 2, 3, 4])
      await storage.devices.setActive(byPartner(clientId), serial, hour % 2 === 0, AT + hour * HOUR_MS)
    const { audit } = await reopen()
    const locks = await audit.list({ limit: 10, action: 'device.lock' })
    expect(locks).toEqual([
      ...[3, 1].map((hour) => ({
        id: expect.any(Number),
        at: AT + hour * HOUR_MS,
        ...{ actorKind: 'partner', actor: clientId, action: 'device.lock', subject: serial, details: {} },
      })),
    ])
    const times = async (filter: object) =>
      (await audit.list({ ...all, ...filter })).map(({ at }) => (at - AT) / HOUR_MS)
    expect(await times({ action: 'device.', since: AT + HOUR_MS })).toEqual([4, 3, 2, 1])
    expect(await times({ since: AT + 3 * HOUR_MS, subject: serial, actor: 'partner' })).toEqual([4, 3])
    expect(await times({ actor: clientId, limit: 2 })).toEqual([4, 3])
    expect(await times({ actor: clientId, limit: 2, before: locks[0]?.id })).toEqual([2, 1])
    expect(await times({ actor: 'hub', since: AT + 1 })).toEqual([])
    expect(await times({ action: 'evice' })).toEqual([])
    const whole = await audit.list(all)
    expect(whole.map(({ id }) => id)).toEqual(whole.map(({ id }) => id).sort((a, b) => b - a))
  })

  it('gives up the oldest rows page by page', async () => {
    const { storage, shop, clientId, serial } = await world(open)
    for (const at of Array.from({ length: 60 }, (_, index) => AT + 1 + index))
      await storage.devices.setActive(byPartner(clientId), serial, at % 2 === 0, at)
    await shop.partner('sbc_young')
    const before = (await storage.audit.list(all)).length
    const pages: number[] = []
    let after: string | undefined = ''
    while (after !== undefined) {
      const page: { deleted: number; next: string | undefined } = await storage.retention.pruneAudit(
        AT + 51,
        after,
      )
      pages.push(page.deleted)
      after = page.next
    }
    expect(Math.max(...pages)).toBe(25)
    const left = await storage.audit.list(all)
    expect(left).toHaveLength(before - pages.reduce((sum, deleted) => sum + deleted))
    expect(left.filter(({ at }) => at < AT + 51)).toEqual([])
    expect(left.filter(({ action }) => action.startsWith('device.'))).toHaveLength(10)
  })
}
