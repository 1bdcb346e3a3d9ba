import { expect, it } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../server/announcements/announcement.ts'
import type { FreeSpeaker, Owner } from '../../../../server/announcements/ports.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
/** More than one commit of a birth reconciles. */
const MANY = 100

/** Two hubs on the same data, and a speaker that connects to either. */
async function twoHubs({ storage: here, openOther }: Opened) {
  const there = await openOther()
  const shop = createShop(here)
  const clientId = await shop.partner()
  const { deviceId, serial } = await shop.speaker(clientId)
  const born = (at: Storage, owner: Owner) => at.outbox.begin(owner, AT, { born: bornWith() })
  const highest = () => here.outbox.highestNumber(deviceId)
  /** Records a payment at a hub. */
  async function paid(at: Storage, free: FreeSpeaker[] = []) {
    const payment = shop.payment(clientId)
    const result = await at.payments.record(payment, free)
    const [announcement] = result.kind === 'recorded' ? result.announcements : []
    if (!announcement) throw new Error('nothing was announced')
    const trail = async () =>
      (await here.payments.findByFtCode(clientId, payment.ftCode))?.announcements.at(0)
    return { ...announcement, trail }
  }
  const sessions = { old: ownerOf(deviceId, 'a'.repeat(16)), owner: ownerOf(deviceId, 'b'.repeat(16)) }
  return { here, there, shop, clientId, deviceId, serial, born, highest, paid, ...sessions }
}

/** The same, after the speaker has gone from the session `old` at `here` to the session `owner` at `there`. */
async function takenOver(opened: Opened) {
  const hubs = await twoHubs(opened)
  await hubs.born(hubs.here, hubs.old)
  await hubs.born(hubs.there, hubs.owner)
  return hubs
}

export function ownerContract(open: OpenStorage) {
  it('a birth takes the device over from another session, at any hub, and says so', async () => {
    const { here, there, born, old, owner } = await twoHubs(await open())
    expect(await here.outbox.owns(old)).toBe(false)
    expect(await born(here, old)).toMatchObject({ isTakeover: false })
    expect(await born(here, old)).toMatchObject({ isTakeover: false })
    expect(await there.outbox.begin(old, AT)).toMatchObject({ isTakeover: false })
    expect(await there.outbox.owns(old)).toBe(true)
    expect(await born(there, owner)).toMatchObject({ isTakeover: true })
    for (const { outbox } of [here, there])
      expect([await outbox.owns(old), await outbox.owns(owner)]).toEqual([false, true])
    expect(await born(here, old)).toMatchObject({ isTakeover: true })
    expect(await here.outbox.owns(old)).toBe(true)
  })

  it('a birth of many commits that another one overtakes has no start: its session owns nothing', async () => {
    const { here, shop, clientId, deviceId, old, owner } = await twoHubs(await open())
    await Promise.all(Array.from({ length: MANY }, () => payWell(shop, clientId)))
    const [overtaken, last] = await Promise.all(
      [old, owner].map((one) => here.outbox.begin(one, STALE_AT, { born: bornWith() })),
    )
    expect(overtaken).toBeUndefined()
    expect(last).toMatchObject({ isTakeover: true })
    expect(await here.outbox.owns(owner)).toBe(true)
    expect(await here.outbox.highestNumber(deviceId)).toBe(last?.numbers.at(-1))
  })

  it('an owner may be a whole session, which has methods', async () => {
    const { here, paid, owner } = await twoHubs(await open())
    const session = { ...owner, close: () => undefined }
    const { outbox } = here
    expect(await outbox.begin(session, AT, { born: bornWith() })).toMatchObject({ isTakeover: false })
    expect(await outbox.nextNumber(session)).toBeGreaterThan(0)
    const { id } = await paid(here)
    const what = { after: 0, isFree: false }
    expect(await outbox.take(session, AT, what)).toMatchObject({ open: [{ id }] })
    expect(await outbox.markSent(id, session, AT)).toBe('sent')
    await outbox.leave([session])
    expect(await outbox.owns(session)).toBe(false)
  })

  it('only the owner takes a number', async () => {
    const { here, there, old, owner, highest } = await takenOver(await open())
    const before = await highest()
    for (const { outbox } of [here, there]) expect(await outbox.nextNumber(old)).toBeUndefined()
    expect(await highest()).toBe(before)
    for (const [index, { outbox }] of [there, here].entries())
      expect(await outbox.nextNumber(owner)).toBe(before + 1 + index)
  })

  it('only the owner stores an announcement as sent', async () => {
    const { here, there, old, owner, paid } = await takenOver(await open())
    const { id, trail } = await paid(here)
    for (const { outbox } of [here, there]) expect(await outbox.markSent(id, old, AT + 1)).toBe('not_owner')
    expect(await trail()).toMatchObject({ stage: 'queued', times: { queued: AT } })
    expect(await there.outbox.markSent(id, owner, AT + 1)).toBe('sent')
    expect(await trail()).toMatchObject({ stage: 'sent', times: { sent: AT + 1 } })
  })

  it('only the owner takes announcements', async () => {
    const { here, there, old, owner, paid } = await takenOver(await open())
    const { id, trail } = await paid(here)
    const what = { after: 0, isFree: true }
    for (const { outbox } of [here, there]) expect(await outbox.take(old, AT + 1, what)).toBeUndefined()
    expect(await trail()).toMatchObject({ stage: 'queued', times: { queued: AT } })
    expect(await there.outbox.take(owner, AT + 1, what)).toMatchObject({ open: [{ id, stage: 'sent' }] })
    expect(await trail()).toMatchObject({ stage: 'sent', times: { sent: AT + 1 } })
  })

  it('taking stores the first announcement as sent if the speaker is free, and tells the highest number', async () => {
    const { here, there, clientId, serial, owner, paid, highest } = await takenOver(await open())
    const [first, second, third] = [await paid(here), await paid(there), await paid(here)]
    const take = (after: number, isFree: boolean, at = AT + 1) =>
      there.outbox.take(owner, at, { after, isFree })
    const stages = async () =>
      Promise.all([first, second, third].map(async ({ trail }) => (await trail())?.stage))
    await there.outbox.nextNumber(owner)
    const highestNumber = await highest()
    expect(highestNumber).toBeGreaterThan(third.n)
    const of = (...open: [{ id: string; n: number }, string][]) => ({
      open: open.map(([{ id, n }, stage]) => ({ id, n, stage })),
      highestNumber,
    })
    expect(await take(0, false)).toMatchObject(of([first, 'queued'], [second, 'queued'], [third, 'queued']))
    expect(await stages()).toEqual(['queued', 'queued', 'queued'])
    expect(await take(first.n, true)).toMatchObject(of([second, 'sent'], [third, 'queued']))
    expect(await stages()).toEqual(['queued', 'sent', 'queued'])
    expect(await take(third.n, true)).toEqual({ open: [], highestNumber })
    expect(await take(0, true, STALE_AT)).toEqual({ open: [], highestNumber })
    await here.devices.setActive(byPartner(clientId), serial, false, AT + 2)
    expect(await take(0, true)).toEqual({ open: [], highestNumber })
  })

  it('only the owner begins again without a birth', async () => {
    const { here, there, old, owner, highest } = await takenOver(await open())
    const before = await highest()
    for (const { outbox } of [here, there]) expect(await outbox.begin(old, AT)).toBeUndefined()
    expect(await highest()).toBe(before)
    expect(await there.outbox.owns(owner)).toBe(true)
    expect(await there.outbox.begin(owner, AT)).toMatchObject({
      ...{ isTakeover: false, highestNumber: before, numbers: [before + 1, before + 2] },
    })
  })

  it('a birth that is stored again takes the device from no session', async () => {
    const { here, there, old, owner, highest } = await takenOver(await open())
    const before = await highest()
    const again = { born: bornWith({ firmware: '2.0' }), isAgain: true }
    for (const { outbox } of [here, there]) expect(await outbox.begin(old, AT, again)).toBeUndefined()
    expect(await highest()).toBe(before)
    expect(await there.outbox.owns(owner)).toBe(true)
    expect(await there.outbox.begin(owner, AT, again)).toMatchObject({ isTakeover: false })
  })

  it('only the hub of the owner judges an announcement; what the device says counts at any hub', async () => {
    const { here, there, deviceId, old, owner, paid } = await takenOver(await open())
    const [one, other] = [await paid(here), await paid(here)]
    const step = ({ id: announcementId, n: commandNumber }: typeof one) => ({
      ...{ announcementId, commandNumber, deviceId, reason: undefined },
    })
    for (const stage of ['failed', 'expired'] as const)
      for (const { outbox } of [here, there]) {
        const judged = { ...step(one), stage, judgedBy: old.sessionId }
        expect(await outbox.recordAck(judged, AT + 1)).toBe('nothing')
      }
    expect(await one.trail()).toMatchObject({ stage: 'queued', times: { queued: AT } })
    const judged = { ...step(one), stage: 'expired', judgedBy: owner.sessionId } as const
    expect(await there.outbox.recordAck(judged, AT + 1)).toBe('moved')
    expect(await one.trail()).toMatchObject({ stage: 'expired' })

    for (const stage of ['received', 'played'] as const)
      expect(await here.outbox.recordAck({ ...step(other), stage }, AT + 2)).toBe('moved')
    expect(await other.trail()).toMatchObject({ stage: 'played' })
    await there.outbox.leave([owner])
    const late = await paid(here)
    expect(await here.outbox.recordAck({ ...step(late), stage: 'played' }, AT + 3)).toBe('moved')
  })

  it("a payment's announcement is stored as sent for the owner alone", async () => {
    const { here, there, old, owner, paid, highest } = await takenOver(await open())
    for (const hub of [here, there]) {
      const refused = await paid(hub, [{ ...old, knownNumber: await highest() }])
      expect(refused.stage).toBe('queued')
      expect(await refused.trail()).toMatchObject({ stage: 'queued', times: { queued: AT } })
    }
    const sent = await paid(there, [{ ...owner, knownNumber: await highest() }])
    expect(sent.stage).toBe('sent')
    expect(await sent.trail()).toMatchObject({ stage: 'sent', times: { queued: AT, sent: AT } })
  })

  it("a payment's announcement is not stored as sent when a number before it is not known to the hub", async () => {
    const { here, there, owner, paid, highest } = await takenOver(await open())
    const known = { ...owner, knownNumber: await highest() }
    await paid(here)
    const overtaken = await paid(there, [known])
    expect(overtaken.stage).toBe('queued')
    expect(await overtaken.trail()).toMatchObject({ stage: 'queued', times: { queued: AT } })
    expect((await paid(there, [{ ...owner, knownNumber: overtaken.n }])).stage).toBe('sent')
    const before = { ...owner, knownNumber: await highest() }
    await there.outbox.nextNumber(owner)
    expect((await paid(there, [before])).stage).toBe('queued')
  })

  it('a session gives up its own device alone', async () => {
    const { here, there, born, old, owner, highest } = await takenOver(await open())
    for (const { outbox } of [here, there]) await outbox.leave([old])
    expect(await here.outbox.owns(owner)).toBe(true)
    expect(await there.outbox.nextNumber(owner)).toBe(await highest())
    await there.outbox.leave([owner])
    for (const { outbox } of [here, there]) {
      expect([await outbox.owns(old), await outbox.owns(owner)]).toEqual([false, false])
      expect(await outbox.nextNumber(owner)).toBeUndefined()
    }
    expect(await born(here, old)).toMatchObject({ isTakeover: false })
  })

  it('names the devices with an announcement that waits: unsent, fresh and older than asked', async () => {
    const { here, there, shop, clientId, deviceId, owner, paid } = await takenOver(await open())
    const free = await shop.speaker(clientId)
    const silent = await shop.speaker(clientId, 'T2')
    await here.outbox.begin(ownerOf(silent.deviceId), AT, { born: bornWith() })
    const waiting = (before = AT + 1, at = AT + 1) =>
      Promise.all([here, there].map(async ({ outbox }) => (await outbox.waiting(at, before)).sort()))
    const both = (...deviceIds: string[]) => [deviceIds.toSorted(), deviceIds.toSorted()]
    expect(await waiting()).toEqual(both())
    await paid(here)
    await paid(there)
    expect(await waiting()).toEqual(both(deviceId, free.deviceId))
    expect(await waiting(AT)).toEqual(both())
    expect(await waiting(STALE_AT, STALE_AT)).toEqual(both())
    const take = () => there.outbox.take(owner, AT, { after: 0, isFree: true })
    const first = await take()
    expect(await waiting()).toEqual(both(deviceId, free.deviceId))
    await there.outbox.take(owner, AT, { after: first?.open[0]?.n ?? 0, isFree: true })
    expect(await waiting()).toEqual(both(free.deviceId))

    await paid(here)
    await there.outbox.leave([owner])
    expect(await waiting()).toEqual(both(deviceId, free.deviceId))
  })
}
