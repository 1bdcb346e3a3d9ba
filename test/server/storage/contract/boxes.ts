import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  ANNOUNCEMENT_FRESH_MS,
  isFinal,
  type SoundProof,
} from '../../../../server/announcements/announcement.ts'
import type { AckStep } from '../../../../server/announcements/ports.ts'
import type { BoxMemory } from '../../../../server/devices/device.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { boxOf, LABEL } from '../boxes.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
const GIVEN_UP_AT = STALE_AT + 60_000
const KNOWS: BoxMemory = { mayRepeat: false, until: 'received' }
const FORGETS: BoxMemory = { mayRepeat: true, until: 'received' }
const REPORTS: BoxMemory = { mayRepeat: false, until: 'played' }

/** A partner with a registered box. */
export async function withBox(storage: Storage, name = 'one', clientId?: string) {
  const shop = createShop(storage)
  const owning = clientId ?? (await shop.partner())
  const box = boxOf(name)
  await storage.devices.mintBox(OPERATOR, box)
  const asked = shop.registration(owning, box.serial, { codeHashes: [], label: LABEL })
  const result = await storage.devices.register(byPartner(owning), asked, AT)
  if (result.kind !== 'registered') throw new Error(`not registered: ${result.kind}`)
  const { id: deviceId, serial } = box
  let sessions = 0
  /** A new connection of the box. */
  async function born(box: BoxMemory, at = AT, again?: { isAgain: true; owner: ReturnType<typeof ownerOf> }) {
    if (!again) sessions += 1
    const owner = again?.owner ?? ownerOf(deviceId, `session ${sessions}`)
    await storage.outbox.begin(owner, at, { born: bornWith({ box }), ...(again && { isAgain: true }) })
    return owner
  }
  async function paid() {
    const ftCode = shop.ids.uuid()
    const [announcement] = (await payWell(shop, owning, { ftCode })).announcements
    if (!announcement) throw new Error('nothing was announced')
    const { id, n } = announcement
    const trail = async () => (await storage.payments.findByFtCode(owning, ftCode))?.announcements[0]
    const ack = (stage: AckStep['stage'], proof: SoundProof | undefined, at = AT + 1) =>
      storage.outbox.recordAck(
        { announcementId: id, commandNumber: n, deviceId, stage, reason: undefined, proof },
        at,
      )
    return { id, n, trail, ack }
  }
  async function ends() {
    await storage.events.number(AT + 1_000_000)
    const { events } = await storage.events.page(owning, { after: 0, types: undefined, limit: 1_000 })
    return events.filter(({ type }) => type.startsWith('announcement.'))
  }
  return { shop, clientId: owning, deviceId, serial, storeId: result.store.id, born, paid, ends }
}

export function boxContract(open: OpenStorage) {
  it('stores a box, and finds it by the first name that is its own', async () => {
    const { storage, reopen } = await open()
    const box = boxOf('one', { profile: 'own', document: '{"a":1}' })
    expect(await storage.devices.mintBox(OPERATOR, box)).toBe('added')
    expect(await storage.devices.mintBox(OPERATOR, boxOf('two'))).toBe('added')
    const again = await reopen()
    expect(await again.devices.boxLogin(['?', 'W-one', 'W-two'])).toEqual({
      ...{ deviceId: box.id, serial: box.serial, wireId: 'W-one', loginHash: box.loginHash, revoked: false },
      ...{ dialect: 'hemipay', profile: 'own', document: '{"a":1}' },
    })
    expect(await again.devices.boxLogin(['W-two', 'W-one'])).toMatchObject({
      ...{ wireId: 'W-two', profile: 'hemipay', document: undefined },
    })
    expect(await again.devices.boxLogin(['BOX-one'])).toBeUndefined()
    await again.devices.revoke(OPERATOR, box.serial, AT)
    expect(await again.devices.boxLogin(['W-one'])).toMatchObject({ revoked: true })
    // It is no device of the other listener.
    expect(await again.devices.credentials(box.serial)).toBeUndefined()
  })

  it('refuses a serial, a wire id and a profile that are taken, and leaves nothing', async () => {
    const { storage } = await open()
    const mint = (...of: Parameters<typeof boxOf>) => storage.devices.mintBox(OPERATOR, boxOf(...of))
    expect(await mint('one', { profile: 'own', document: '{"a":1}' })).toBe('added')
    expect(await mint('one', { wireId: 'other', id: 'other' })).toBe('serial_taken')
    const fresh = { profile: 'new', document: '{}' }
    expect(await mint('two', { wireId: 'W-one', ...fresh })).toBe('wire_id_taken')
    expect(await mint('two', { profile: 'own', document: '{"a":2}' })).toBe('profile_differs')
    expect(await mint('two', { profile: 'own', document: '{"a":1}' })).toBe('added')
    expect(await storage.profiles.list()).toEqual([{ name: 'own', document: '{"a":1}', since: AT }])
    expect((await storage.devices.list()).map(({ serial }) => serial)).toEqual(['BOX-one', 'BOX-two'])
  })

  it('keeps profiles by their names', async () => {
    const { storage, reopen } = await open()
    await storage.profiles.save(OPERATOR, 'b', '{"b":1}', AT)
    await storage.profiles.save(OPERATOR, 'a', '{}', AT)
    await storage.profiles.save(OPERATOR, 'b', '{"b":2}', AT + 1)
    const again = await reopen()
    expect((await again.profiles.list()).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(await again.profiles.find('b')).toEqual({ name: 'b', document: '{"b":2}', since: AT + 1 })
    expect(await again.profiles.find('c')).toBeUndefined()
  })

  it('lists devices by dialect and by profile, and says both', async () => {
    const { storage } = await open()
    const { serial } = await createShop(storage).device()
    await storage.devices.mintBox(OPERATOR, boxOf('one'))
    await storage.devices.mintBox(OPERATOR, boxOf('two', { dialect: 'oneway', profile: 'openluat' }))
    const found = async (filter: Parameters<typeof storage.lists.devices.page>[0]) =>
      (await storage.lists.devices.page(filter, AT, { limit: 10 })).rows.map((one) => one.serial)
    expect(await found({ dialect: 'hemipay' })).toEqual(['BOX-one'])
    expect(await found({ dialect: 'sb/1' })).toEqual([serial])
    expect(await found({ profiles: ['openluat', 'hemipay'] })).toEqual(['BOX-two', 'BOX-one'])
    expect(await found({ profiles: ['sb/1', 'openluat'] })).toEqual(['BOX-two', serial])
    expect(await found({ profiles: [] })).toEqual([])
    expect(await found({ dialect: 'oneway', profiles: ['hemipay'] })).toEqual([])
    expect(await storage.lists.devices.find('BOX-two', AT)).toMatchObject({
      ...{ dialect: 'oneway', profile: 'openluat' },
    })
    expect(await storage.lists.devices.find(serial, AT)).toMatchObject({
      dialect: 'sb/1',
      profile: undefined,
    })
  })

  it('registers by the label, also again after a release, and counts wrong labels as codes', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [clientId, other] = [await shop.partner(), await shop.partner()]
    const { serial } = boxOf('one')
    await storage.devices.mintBox(OPERATOR, boxOf('one'))
    const present = async (label: string, by = clientId, at = AT) => {
      const asked = shop.registration(by, serial, { codeHashes: [], label })
      return storage.devices.register(byPartner(by), asked, at)
    }
    expect(await present(LABEL)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(clientId), serial, AT)
    expect(await present(LABEL, other)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(other), serial, AT)
    const wrong = LABEL.replace('A', 'Z')
    for (let guess = 0; guess < 3; guess += 1)
      expect(await present(wrong)).toMatchObject({ kind: 'code_wrong', isNewest: false })
    expect(await present(LABEL)).toEqual({ kind: 'code_quota', freeAgainAt: AT + 15 * 60_000 })
    expect(await storage.codes.before(clientId, 'box one')).toMatchObject({ own: { issued: 3 } })
    expect(await present(LABEL, other)).toMatchObject({ kind: 'registered' })
    await storage.devices.unregister(byPartner(other), serial, AT)
    expect(await present(LABEL, clientId, AT + 15 * 60_000)).toMatchObject({ kind: 'registered' })
  })

  it('has no label to guess on a device without one', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const { serial, deviceId } = await shop.device()
    const asked = shop.registration(clientId, serial, { codeHashes: [], label: LABEL })
    expect(await storage.devices.register(byPartner(clientId), asked, AT)).toEqual({ kind: 'code_none' })
    expect((await storage.codes.before(clientId, deviceId)).own).toBeUndefined()
  })

  it('ends an announcement that a box has as delivered, with the proof, the time and one event', async () => {
    const { storage } = await open()
    const { born, paid, ends } = await withBox(storage)
    const owner = await born(KNOWS)
    const { id, trail, ack } = await paid()
    await storage.outbox.markSent(id, owner, AT)
    expect(await ack('received', 'none', AT + 1)).toBe('moved')
    expect(await trail()).toMatchObject({ stage: 'received', proof: 'none' })
    expect(await ack('received', 'accepted', AT + 2)).toBe('nothing')
    expect(await ack('received', 'none', AT + 3)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'received', proof: 'accepted' })
    expect(await ack('delivered', 'accepted', AT + 4)).toBe('moved')
    expect(await ack('played', 'played', AT + 5)).toBe('nothing')
    const times = { queued: AT, sent: AT, received: AT + 1, delivered: AT + 4 }
    expect(await trail()).toMatchObject({ stage: 'delivered', proof: 'accepted', times })
    expect(await trail()).not.toHaveProperty('mayRepeat')
    expect((await ends()).map(({ type, at }) => [type, at])).toEqual([['announcement.delivered', AT + 4]])
    expect(await storage.outbox.isOpen(id)).toBe(false)
    expect((await storage.lists.payments.fates({ limit: 1 })).rows).toMatchObject([
      { stages: ['delivered'], playedAt: undefined },
    ])
  })

  it('stores that a box has played it', async () => {
    const { storage } = await open()
    const { paid, ends } = await withBox(storage)
    const { trail, ack } = await paid()
    expect(await ack('played', 'played')).toBe('moved')
    expect(await trail()).toMatchObject({ stage: 'played', proof: 'played', times: { played: AT + 1 } })
    expect((await ends()).map(({ type }) => type)).toEqual(['announcement.played'])
  })

  it('sends an unconfirmed one in a second session, never in a third, and says why it ended', async () => {
    const { storage } = await open()
    const { deviceId, born, paid, ends } = await withBox(storage)
    const { id, trail } = await paid()
    const owner = await born(FORGETS)
    await storage.outbox.markSent(id, owner, AT)
    const second = await born(FORGETS, AT + 1)
    expect(await trail()).toMatchObject({ stage: 'sent', mayRepeat: true })
    expect((await storage.outbox.open(deviceId, AT + 1)).map((one) => one.id)).toEqual([id])
    // The clock was set while the session began: it is no other session.
    await born(FORGETS, AT + 2, { isAgain: true, owner: second })
    expect(await trail()).toMatchObject({ stage: 'sent', mayRepeat: true })
    await born(FORGETS, AT + 3)
    expect(await trail()).toMatchObject({ stage: 'expired', reason: 'unconfirmed', mayRepeat: true })
    expect((await ends()).map(({ type, data }) => [type, data.reason])).toEqual([
      ['announcement.missed', 'unconfirmed'],
    ])
  })

  it('says of one that was sent again under an id that the box knows that it did not repeat', async () => {
    const { storage } = await open()
    const { born, paid } = await withBox(storage)
    const { id, trail, ack } = await paid()
    await storage.outbox.markSent(id, await born(REPORTS), AT)
    await ack('received', 'none')
    await born(REPORTS, AT + 1)
    expect(await trail()).toMatchObject({ stage: 'received' })
    expect(await trail()).not.toHaveProperty('mayRepeat')
    await born(REPORTS, AT + 2)
    expect(await trail()).toMatchObject({ stage: 'delivered', proof: 'none', times: { delivered: AT + 2 } })
  })

  it('delivers in the sweep what a box has, and expires the rest; speakers of our own are as before', async () => {
    const { storage } = await open()
    const { deviceId, clientId, shop, born, paid, ends } = await withBox(storage)
    const own = await shop.speaker(clientId, 'T-own')
    const owner = await born(KNOWS)
    const [waits, sent, taken] = [await paid(), await paid(), await paid()]
    for (const { id } of [sent, taken]) await storage.outbox.markSent(id, owner, AT)
    await taken.ack('received', 'none')
    const [said] = (await payWell(shop, clientId, { terminalID: 'T-own', ftCode: 'FT-own' })).announcements
    if (!said) throw new Error('nothing was announced')
    await storage.outbox.markSent(said.id, ownerOf(own.deviceId), AT)
    const step = { announcementId: said.id, commandNumber: said.n, deviceId: own.deviceId }
    await storage.outbox.recordAck({ ...step, stage: 'received', reason: undefined }, AT)
    expect(await storage.outbox.expire(STALE_AT)).toEqual([deviceId])
    expect(new Set(await storage.outbox.expire(GIVEN_UP_AT))).toEqual(new Set([deviceId, own.deviceId]))
    expect(await waits.trail()).toMatchObject({ stage: 'expired', reason: undefined })
    expect(await sent.trail()).toMatchObject({ stage: 'expired', reason: 'unconfirmed' })
    expect(await taken.trail()).toMatchObject({
      ...{ stage: 'delivered', proof: 'none', reason: undefined, times: { delivered: GIVEN_UP_AT } },
    })
    const ours = (await storage.payments.findByFtCode(clientId, 'FT-own'))?.announcements[0]
    expect(ours).toMatchObject({ stage: 'expired', reason: undefined })
    expect(ours).not.toHaveProperty('proof')
    expect((await ends()).map(({ type }) => type).toSorted()).toEqual([
      ...['announcement.delivered', 'announcement.missed', 'announcement.missed', 'announcement.missed'],
    ])
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 2 })
  })

  it('counts a day’s delivered payments apart, before missed and behind open ones', async () => {
    const { storage } = await open()
    const { clientId, paid } = await withBox(storage)
    const { ack } = await paid()
    const range = { from: AT - 900_000, until: AT + 900_000 }
    const unsummed = async () =>
      (await storage.lists.payments.unsummed({ ...range, upTo: 0 }, undefined)).sums[0]
    expect(await unsummed()).toMatchObject({ count: 1, open: 1, delivered: 0 })
    await ack('delivered', 'none')
    expect(await unsummed()).toMatchObject({ count: 1, open: 0, delivered: 1 })
    while (await storage.payments.sumUp(AT + 600_000));
    expect(await storage.lists.payments.summed({ ...range, clientId, least: 0, below: 1 })).toMatchObject([
      { count: 1, delivered: 1, played: 0, missed: 0, open: 0 },
    ])
    const found = await storage.lists.payments.page({ clientId, stage: 'delivered' }, { limit: 10 })
    expect(found.rows).toHaveLength(1)
  })

  it('keys an amount once for each request of a device, and asks the partner by one event', async () => {
    const { storage, reopen } = await open()
    const { clientId, deviceId, serial, storeId } = await withBox(storage)
    const ask = (requestId: string, keyedId: string, forStore?: string, at = AT, by = clientId) =>
      storage.keyed.key(
        by,
        { deviceId, requestId, amount: '5000', keyedId, storeId: forStore, expiresAt: AT + 60_000 },
        at,
      )
    expect(await storage.keyed.shopsOf(deviceId)).toMatchObject({
      ...{ clientId, serial, stores: [{ id: storeId, staticQRCode: 'static QR' }] },
    })
    expect(await ask('1', 'K1')).toEqual({ keyedId: 'K1', storeId: undefined, isRepeat: false })
    expect(await ask('1', 'K2')).toEqual({ keyedId: 'K1', storeId: undefined, isRepeat: true })
    expect(await ask('2', 'K3', storeId)).toEqual({ keyedId: 'K3', storeId, isRepeat: false })
    const again = await reopen()
    expect(
      await again.keyed.key(
        clientId,
        { deviceId, requestId: '2', amount: '5000', keyedId: 'K4', storeId: undefined, expiresAt: AT },
        AT,
      ),
    ).toEqual({ keyedId: 'K3', storeId, isRepeat: true })
    await again.events.number(AT + 1)
    const { events } = await again.events.page(clientId, {
      ...{ after: 0, types: ['amount.keyed'], limit: 10 },
    })
    expect(events.map(({ data }) => data)).toEqual([
      {
        ...{ deviceSerial: serial, storeIds: [storeId], transactionAmount: '5000', keyedId: 'K1' },
        expiresAt: new Date(AT + 60_000).toISOString(),
      },
    ])
  })

  it('forgets a request after a day, and takes none of a device that is locked or another partner’s', async () => {
    const { storage } = await open()
    const { clientId, deviceId, serial, shop } = await withBox(storage)
    const key = (requestId: string, at: number, by = clientId) =>
      storage.keyed.key(
        by,
        { deviceId, requestId, amount: '1', keyedId: `K${at}`, storeId: undefined, expiresAt: at },
        at,
      )
    await key('1', AT)
    const day = 24 * 60 * 60_000
    expect(await key('1', AT + day - 1)).toMatchObject({ isRepeat: true })
    expect(await key('1', AT + day)).toMatchObject({ isRepeat: false, keyedId: `K${AT + day}` })
    expect(await key('2', AT, await shop.partner())).toBeUndefined()
    await storage.devices.setActive(byPartner(clientId), serial, false, AT)
    expect(await key('2', AT)).toBeUndefined()
    expect(await storage.keyed.shopsOf(deviceId)).toBeUndefined()
  })

  it('reaches one end, with one event, in whatever order acks, births and sweeps come', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    let worlds = 0
    const what = fc.constantFrom(
      ...(['received none', 'received accepted', 'delivered none', 'delivered accepted'] as const),
      ...(['played played', 'failed', 'sent', 'born', 'stale', 'given up'] as const),
    )
    const memory = fc.constantFrom(KNOWS, FORGETS, REPORTS)
    await fc.assert(
      fc.asyncProperty(fc.array(what, { minLength: 1, maxLength: 9 }), memory, async (steps, memory) => {
        worlds += 1
        const world = await withBox(storage, `world ${worlds}`, await shop.partner())
        let owner = await world.born(memory)
        const { id, trail, ack } = await world.paid()
        let end: Awaited<ReturnType<typeof trail>>
        let at = AT
        for (const step of [...steps, 'given up']) {
          at += 1
          const [stage, proof] = step.split(' ')
          if (step === 'sent') await storage.outbox.markSent(id, owner, at)
          else if (step === 'born') owner = await world.born(memory, at)
          else if (step === 'stale') await storage.outbox.expire(STALE_AT)
          else if (step === 'given up') await storage.outbox.expire(GIVEN_UP_AT)
          // The words of the steps.
          else await ack(stage as AckStep['stage'], proof as SoundProof | undefined, at)
          const now = await trail()
          if (end) expect(now).toEqual(end)
          else if (now && isFinal(now.stage)) end = now
        }
        expect(end).toBeDefined()
        expect(await world.ends()).toHaveLength(1)
        const { stage, proof } = end ?? {}
        if (stage === 'played') expect(proof).toBe('played')
        if (stage === 'delivered') expect(['none', 'accepted']).toContain(proof)
      }),
      { numRuns: 40 },
    )
  })
}
