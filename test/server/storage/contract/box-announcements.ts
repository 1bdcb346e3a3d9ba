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

export function boxAnnouncementContract(open: OpenStorage) {
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
