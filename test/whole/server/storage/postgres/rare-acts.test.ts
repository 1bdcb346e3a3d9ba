import { describe, expect, it, onTestFinished } from 'vitest'
import { chooseScreen } from '../../../../../server/announcements/screen.ts'
import { byPartner } from '../../../../../server/security/actor.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import { carryOutAsync } from '../../../../../server/storage/acts/act.ts'
import { createReadScreens } from '../../../../../server/storage/acts/outbox/screens.ts'
import { createActEngine } from '../../../../../server/storage/postgres/engine/act-engine.ts'
import { openDatabase } from '../../../../../server/storage/postgres/engine/database.ts'
import { runOn } from '../../../../../server/storage/postgres/schema/statements.ts'
import { eventsOf, typesOf } from '../../../../server/storage/contract/events.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres, type TestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { lockOf, openHolder } from './holder.ts'

/*
 * Acts of two hubs that meet at one device, store or bill. Where their order matters, a third connection holds the row
 * at which they meet until both wait for it: the act that began first goes on first.
 */

const postgres = await startTestPostgres()

async function hubs({ database, open }: TestPostgres) {
  const url = await database()
  const [here, there] = [await open(url), await open(url)]
  const shop = createShop(here)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const { hold, client } = await openHolder(url)
  return {
    url,
    here,
    there,
    shop,
    clientId,
    speaker,
    device: [lockOf(speaker.deviceId)],
    hold,
    client,
  }
}

describe.skipIf(!postgres)('two hubs on PostgreSQL', () => {
  if (!postgres) return

  it.each(['released', 'locked', 'revoked'] as const)(
    'suppress a payment that was recorded just before its speaker is %s',
    async (how) => {
      const { here, there, shop, clientId, speaker, device, hold } = await hubs(postgres)
      const { serial } = speaker
      const acts = {
        released: () => there.devices.unregister(byPartner(clientId), serial, AT),
        locked: () => there.devices.setActive(byPartner(clientId), serial, false, AT),
        revoked: () => there.devices.revoke(OPERATOR, serial, AT),
      }
      const [paid] = await hold(device, () => shop.pay(clientId, { ftCode: 'FT1' }), acts[how])
      expect(paid).toMatchObject({ announcements: [{ stage: 'queued' }] })
      const view = await here.payments.findByFtCode(clientId, 'FT1')
      expect(view?.announcements).toMatchObject([{ stage: 'suppressed' }])
    },
  )

  it('give a device two versions for two changes of its settings', async () => {
    const { here, there, speaker, device, hold } = await hubs(postgres)
    const change = (at: typeof here, volume: number) => () =>
      at.settings.change(OPERATOR, speaker.serial, { volume, lang: 'vi' }, AT)
    const changed = await hold(device, change(here, 10), change(there, 20))
    expect(changed.map((one) => one?.settings.desired)).toEqual([
      { ver: 1, volume: 10, lang: 'vi' },
      { ver: 2, volume: 20, lang: 'vi' },
    ])
  })

  it('keep settings that are changed while the device is born', async () => {
    const { here, there, speaker, device, hold } = await hubs(postgres)
    const owner = ownerOf(speaker.deviceId)
    const settings = { volume: 10, lang: 'en' } as const
    const [, start] = await hold(
      device,
      () => here.settings.change(OPERATOR, speaker.serial, settings, AT),
      () => there.outbox.begin(owner, AT, { born: bornWith() }),
    )
    expect(start?.settings).toMatchObject({ ver: 1, ...settings })
    expect(await here.settings.due([speaker.serial])).toMatchObject([{ desired: { ver: 1 } }])
  })

  it('show a bill with the amount of its QR code, when it is changed while the screen is read', async () => {
    const { url, here, shop, clientId, speaker, client } = await hubs(postgres)
    const bill = shop.bill(speaker.storeId, { amount: '1000', qrcode: 'QR of 1000' })
    await here.bills.put(clientId, bill, AT)
    const vault = createVault(TEST_MASTER_KEY)
    const database = await openDatabase(`${url}${PATIENT}`, vault)
    onTestFinished(() => database.close())
    const { rows } = await client.query(`SELECT number::int FROM devices WHERE id = '${speaker.deviceId}'`)
    const names: string[] = []
    const run = runOn(async (name, ...statement) => {
      names.push(name)
      // Behind those that the bill is chosen by.
      if (name === 'outbox.screen shown bills')
        await here.bills.put(clientId, { ...bill, amount: '2000', qrcode: 'QR of 2000' }, AT + 1)
      return await database.read(name, ...statement)
    })
    const readScreens = createReadScreens(createActEngine(database), { chooseScreen })
    const [screen] = await carryOutAsync(
      readScreens([{ device: rows[0]?.number, isActive: true, at: AT }]),
      run,
    )
    expect(names).toContain('outbox.screen shown bills')
    expect(screen?.bill).toMatchObject({ amount: '2000', qr: 'QR of 2000' })
  })

  it('issue nine codes of a device at once, three for each partner', async () => {
    const { here, there, shop } = await hubs(postgres)
    const free = await shop.device()
    const partners = [await shop.partner(), await shop.partner(), await shop.partner(), await shop.partner()]
    const issued = await Promise.all(
      partners.flatMap((clientId) =>
        [here, there, here, there].map((at) => createShop(at).issue(clientId, free)),
      ),
    )
    expect(issued.filter((quota) => quota !== undefined)).toHaveLength(9)
    for (const [index] of partners.entries())
      expect(issued.slice(4 * index, 4 * index + 4).filter(Boolean).length).toBeLessThanOrEqual(3)
  })

  it('use a code once', async () => {
    const { here, there, shop, clientId } = await hubs(postgres)
    const free = await shop.device()
    await shop.issue(clientId, free)
    const results = await Promise.all(
      [here, there, here, there].map((at) =>
        at.devices.register(byPartner(clientId), shop.registration(clientId, free.serial), AT),
      ),
    )
    expect(results.map(({ kind }) => kind).sort()).toEqual([
      'code_none',
      'code_none',
      'code_none',
      'registered',
    ])
  })

  it('make one user and one store of a new terminal that speakers are registered for at once', async () => {
    const { here, there, shop } = await hubs(postgres)
    const clientId = await shop.partner()
    const free = await Promise.all([1, 2, 3, 4].map(() => shop.device()))
    for (const one of free) await shop.issue(clientId, one)
    const results = await Promise.all(
      free.map(({ serial }, index) =>
        (index % 2 === 0 ? here : there).devices.register(
          byPartner(clientId),
          shop.registration(clientId, serial),
          AT,
        ),
      ),
    )
    const stores = results.map((result) => (result.kind === 'registered' ? result.store.id : result.kind))
    const users = results.map((result) => (result.kind === 'registered' ? result.userId : result.kind))
    expect([new Set(stores).size, new Set(users).size]).toEqual([1, 1])
    const paid = await shop.pay(clientId)
    expect(paid.kind === 'recorded' && paid.announcements).toHaveLength(4)
  })

  it('give a terminal to one of two stores that want it at once', async () => {
    const { here, there, shop, clientId, speaker } = await hubs(postgres)
    const other = await shop.speaker(clientId, 'T2')
    const [one, two] = await Promise.all([
      here.stores.update(byPartner(clientId), speaker.storeId, { terminalID: 'T9' }, AT),
      there.stores.update(byPartner(clientId), other.storeId, { terminalID: 'T9' }, AT),
    ])
    expect([one.kind, two.kind].sort()).toEqual(['terminal_taken', 'updated'])
  })

  it('make one bill of a number that is put at once', async () => {
    const { here, there, shop, clientId, speaker } = await hubs(postgres)
    const results = await Promise.all(
      [here, there, here, there].map((at) => at.bills.put(clientId, shop.bill(speaker.storeId), AT)),
    )
    const ids = results.map((result) => (result.kind === 'stored' ? result.bill.id : result.kind))
    expect(new Set(ids).size).toBe(1)
  })

  it('do not change a bill that is paid meanwhile, and compare a payment with what a bill was changed to', async () => {
    const { here, there, shop, clientId, speaker, hold } = await hubs(postgres)
    const put = async (billNumber: string) => {
      const bill = shop.bill(speaker.storeId, { billNumber })
      await here.bills.put(clientId, bill, AT)
      const change = () => there.bills.put(clientId, { ...bill, amount: '60000' }, AT)
      const pay = () => shop.pay(clientId, { billNumber, ftCode: billNumber })
      return { held: [`SELECT FROM bills WHERE id = '${bill.id}' FOR UPDATE`], change, pay }
    }
    const first = await put('B1')
    const [, changed] = await hold(first.held, first.pay, first.change)
    expect(changed).toEqual({ kind: 'already_paid' })
    const second = await put('B2')
    await hold(second.held, second.change, second.pay)
    expect(await here.payments.findByFtCode(clientId, 'B2')).toMatchObject({ outcome: 'amount_mismatch' })
  })

  it('take a request to identify a device once', async () => {
    const { here, there, speaker } = await hubs(postgres)
    await here.devices.askIdentify(OPERATOR, speaker.serial, AT)
    const taken = await Promise.all([here, there].map((at) => at.devices.takeIdentifyRequests(AT)))
    expect(taken.flat()).toEqual([speaker.deviceId])
  })

  it('leave an announcement that is played while its speaker is locked', async () => {
    const { here, there, shop, clientId, speaker, hold } = await hubs(postgres)
    const { deviceId, serial } = speaker
    const [paid] = (await payWell(shop, clientId, { ftCode: 'FT1' })).announcements
    const [announcementId, commandNumber] = [paid?.id ?? '', paid?.n ?? 0]
    await hold(
      ['SELECT FROM announcements FOR UPDATE'],
      () =>
        there.outbox.recordAck(
          { announcementId, commandNumber, deviceId, stage: 'played', reason: undefined },
          AT,
        ),
      () => here.devices.setActive(byPartner(clientId), serial, false, AT),
    )
    const view = await here.payments.findByFtCode(clientId, 'FT1')
    expect(view?.announcements).toMatchObject([{ stage: 'played' }])
  })

  it('look for the devices of hubs that run no more, and of none that runs', async () => {
    const { url, here, shop, clientId, speaker, client } = await hubs(postgres)
    const there = await postgres.open(url, { hub: 'there' })
    const lost = async () => (await here.health.toldOnline()).devices
    const { deviceId } = await shop.speaker(clientId, 'T2')
    await here.health.tellOffline([{ deviceId: speaker.deviceId, sessionId: undefined, leftAt: AT }], AT)
    const { sessionId } = ownerOf(deviceId)
    await there.outbox.begin({ deviceId, sessionId }, AT, { born: bornWith() })
    const beat = (at: string) =>
      client.query(
        `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms)
         VALUES ('there', '', 1, '', 0, ${at}, 0) ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`,
      )
    await beat('clock_ms() + 1000000')
    expect(await lost()).toEqual([])
    await beat(`${AT + 7}`)
    expect(await lost()).toEqual([{ deviceId, sessionId, leftAt: AT + 7 }])
    await there.outbox.leave([{ deviceId, sessionId }])
    await beat('clock_ms() + 1000000')
    expect(await lost()).toMatchObject([{ deviceId, sessionId: undefined }])
  })

  it('tell nobody that a device is offline that is born meanwhile', async () => {
    const { here, there, speaker, device, hold } = await hubs(postgres)
    const { deviceId } = speaker
    const born = (sessionId: string, at: number) =>
      there.outbox.begin(ownerOf(deviceId, sessionId), at, { born: bornWith() })
    await born('a'.repeat(16), AT)
    const departure = { deviceId, sessionId: 'a'.repeat(16), leftAt: AT + 1_000 }
    await hold(
      device,
      () => born('b'.repeat(16), AT + 2_000),
      () => here.health.tellOffline([departure], AT + 61_000),
    )
    expect((await here.health.toldOnline()).devices).toMatchObject([{ deviceId }])
  })

  it('tell no partner of the battery of a device that it has released meanwhile', async () => {
    const { here, there, clientId, speaker, device, hold } = await hubs(postgres)
    const { deviceId, serial } = speaker
    await hold(
      device,
      () => there.devices.unregister(byPartner(clientId), serial, AT),
      () => here.health.record([{ deviceId, report: { battery: 1, at: AT } }]),
    )
    expect(typesOf(await eventsOf(here, clientId))).toEqual(['device.registered', 'device.unregistered'])
  })

  it('record the health of the same devices at once, in whatever order they are named', async () => {
    const { here, there, shop } = await hubs(postgres)
    const devices = await Promise.all(Array.from({ length: 40 }, () => shop.device()))
    const reports = devices.map(({ deviceId }) => ({ deviceId, report: { battery: 50, at: AT } }))
    const endings = devices.map(({ deviceId }) => ({ deviceId, leftAt: AT + 1 })).reverse()
    await Promise.all([here, there].flatMap(({ health }) => [health.record(reports), health.record(endings)]))
    expect(await here.lists.devices.find(devices[7]?.serial ?? '', AT)).toMatchObject({
      leftAt: AT + 1,
      health: { battery: 50 },
    })
  })
})
