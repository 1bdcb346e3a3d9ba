import { expect, it } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS, type ReasonCode } from '../../../../server/announcements/announcement.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, bornWith, createShop, owned, payWell } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
/** What was sent may still be acked for a minute after its time. */
const GIVEN_UP_AT = STALE_AT + 60_000

export async function openedOutbox({ storage, reopen }: Pick<Opened, 'storage' | 'reopen'>) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId, serial } = await shop.speaker(clientId)
  const owner = await owned(storage, deviceId)
  const numbers = new Map<string, number>()
  async function announced(amount = '50000') {
    const ftCode = shop.ids.uuid()
    const [announcement] = (await payWell(shop, clientId, { amount, ftCode })).announcements
    if (!announcement) throw new Error('nothing was announced')
    numbers.set(announcement.id, announcement.n)
    const trail = async () => (await storage.payments.findByFtCode(clientId, ftCode))?.announcements[0]
    return { ...announcement, trail }
  }
  type Stage = 'received' | 'played' | 'failed' | 'expired'
  const step = (announcementId: string, stage: Stage, reason?: ReasonCode) => ({
    ...{ announcementId, commandNumber: numbers.get(announcementId) ?? 0, deviceId, stage, reason },
  })
  return { storage, reopen, shop, clientId, deviceId, serial, owner, announced, step }
}

export function outboxContract(open: OpenStorage) {
  it('numbers the commands of a device without gap or repetition, announcements and others alike', async () => {
    const { storage, deviceId, owner, announced } = await openedOutbox(await open())
    const before = await storage.outbox.highestNumber(deviceId)
    const numbers = await Promise.all([
      announced().then(({ n }) => n),
      storage.outbox.nextNumber(owner),
      announced().then(({ n }) => n),
      storage.outbox.nextNumber(owner),
    ])
    expect(numbers.sort()).toEqual([1, 2, 3, 4].map((step) => before + step))
    expect(await storage.outbox.highestNumber(deviceId)).toBe(before + 4)
  })

  it('never gives a number twice, over a reopening', async () => {
    const { storage, reopen, owner } = await openedOutbox(await open())
    const first = (await storage.outbox.nextNumber(owner)) ?? Number.NaN
    expect(await (await reopen()).outbox.nextNumber(owner)).toBe(first + 1)
  })

  it('numbers each device on its own', async () => {
    const { storage, shop, clientId, owner } = await openedOutbox(await open())
    const other = await owned(storage, (await shop.speaker(clientId)).deviceId)
    const before = await storage.outbox.highestNumber(other.deviceId)
    await storage.outbox.nextNumber(owner)
    expect(await storage.outbox.nextNumber(other)).toBe(before + 1)
  })

  it('lists the open and fresh announcements by rising number', async () => {
    const { storage, deviceId, announced, step } = await openedOutbox(await open())
    const [first, second, third] = [await announced('1'), await announced('2'), await announced('3')]
    await storage.outbox.recordAck(step(second.id, 'played'), AT)
    const listed = await storage.outbox.open(deviceId, STALE_AT - 1)
    expect(listed.map(({ id, n, amount }) => [id, n, amount])).toEqual([
      [first.id, first.n, '1'],
      [third.id, third.n, '3'],
    ])
    expect(await storage.outbox.open(deviceId, STALE_AT)).toEqual([])
  })

  it('keeps the time of every stage on the way to played', async () => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    expect(await storage.outbox.markSent(id, owner, AT + 1)).toBe('sent')
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 2)).toBe('moved')
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 3)).toBe('moved')
    expect(await trail()).toMatchObject({
      stage: 'played',
      times: { queued: AT, sent: AT + 1, received: AT + 2, played: AT + 3 },
    })
  })

  it('stores the reason why an announcement failed', async () => {
    const { storage, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    expect(await storage.outbox.recordAck(step(id, 'failed', 'audio_failed'), AT)).toBe('moved')
    expect(await trail()).toMatchObject({ stage: 'failed', reason: 'audio_failed' })
  })

  it.each(['played', 'failed'] as const)('moves nothing out of %s', async (final) => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, final), AT + 1)
    const before = await trail()
    for (const stage of ['received', 'played', 'failed'] as const)
      expect(await storage.outbox.recordAck(step(id, stage), AT + 2)).toBe('nothing')
    expect(await storage.outbox.markSent(id, owner, AT + 3)).toBe('ended')
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([])
    expect(await trail()).toEqual(before)
  })

  it('moves nothing out of expired: who was told "missed" is not told "played"', async () => {
    const { storage, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.outbox.expire(STALE_AT)
    await storage.outbox.recordAck(step(id, 'played'), STALE_AT + 1)
    expect(await trail()).toMatchObject({ stage: 'expired' })
  })

  it('takes out of the missed payments what the device has played after all, until it has shown them', async () => {
    const { storage, deviceId, announced, step } = await openedOutbox(await open())
    const [late, shown, refused] = [await announced('1'), await announced('2'), await announced('4')]
    await storage.outbox.recordAck(step(refused.id, 'expired', 'expired'), AT)
    await storage.outbox.expire(STALE_AT)
    expect(await storage.outbox.recordAck(step(late.id, 'played'), STALE_AT + 1)).toBe('no_longer_missed')
    expect(await storage.outbox.recordAck(step(late.id, 'played'), STALE_AT + 1)).toBe('nothing')
    expect(await storage.outbox.recordAck(step(refused.id, 'played'), STALE_AT + 1)).toBe('nothing')
    const summary = await storage.outbox.missed(deviceId)
    expect(summary).toMatchObject({ count: 2, amount: '6' })
    if (!summary) return
    await storage.outbox.markMissedShown(deviceId, summary.mark, STALE_AT + 2)
    expect(await storage.outbox.recordAck(step(shown.id, 'played'), STALE_AT + 3)).toBe('nothing')
  })

  it('moves nothing out of suppressed', async () => {
    const { storage, clientId, serial, owner, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.devices.setActive(byPartner(clientId), serial, false, AT + 1)
    expect(await storage.outbox.markSent(id, owner, AT + 2)).toBe('ended')
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 2)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'suppressed', times: { queued: AT, suppressed: AT + 1 } })
  })

  it('moves nothing back from received to sent, nor counts received twice', async () => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, 'received'), AT + 1)
    expect(await storage.outbox.markSent(id, owner, AT + 2)).toBe('sent')
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 3)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'received', times: { received: AT + 1 } })
  })

  it("takes no ack of one device for another's announcement", async () => {
    const { storage, shop, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    const { deviceId } = await shop.device()
    expect(await storage.outbox.recordAck({ ...step(id, 'played'), deviceId }, AT)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'queued' })
  })

  it('takes no ack that names another command number: a restore may have renumbered the announcement', async () => {
    const { storage, announced, step } = await openedOutbox(await open())
    const { id, n, trail } = await announced()
    for (const stage of ['received', 'played', 'failed', 'expired'] as const)
      expect(await storage.outbox.recordAck({ ...step(id, stage), commandNumber: n + 1 }, AT)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'queued', reason: undefined })
  })

  it('takes no ack under the number from before a restore, and one under the new number', async () => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.outbox.begin(owner, AT, { born: bornWith({ played: 1_000 }) })
    expect(await storage.outbox.recordAck(step(id, 'played'), AT)).toBe('nothing')
    expect(await trail()).toMatchObject({ stage: 'queued', n: 1_001 })
    expect(await storage.outbox.recordAck({ ...step(id, 'played'), commandNumber: 1_001 }, AT)).toBe('moved')
    expect(await trail()).toMatchObject({ stage: 'played' })
  })

  it('leaves fresh announcements at a birth: they are sent again', async () => {
    const { storage, owner, announced } = await openedOutbox(await open())
    const sent = [await announced(), await announced()]
    for (const { id } of sent) await storage.outbox.markSent(id, owner, AT)
    await storage.outbox.begin(owner, STALE_AT - 30_001, { born: bornWith({ played: sent[0]?.n ?? 0 }) })
    for (const one of sent) expect(await one.trail()).toMatchObject({ stage: 'sent' })
  })

  it('takes late announcements for played up to the number of a birth, and expires those above', async () => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const [received, last, above] = [await announced(), await announced(), await announced()]
    for (const { id } of [received, last, above]) await storage.outbox.markSent(id, owner, AT)
    await storage.outbox.recordAck(step(received.id, 'received'), AT)
    await storage.outbox.begin(owner, STALE_AT, { born: bornWith({ played: last.n }) })
    expect(await received.trail()).toMatchObject({ stage: 'played' })
    expect(await last.trail()).toMatchObject({ stage: 'played' })
    expect(await above.trail()).toMatchObject({ stage: 'expired' })
  })

  it('does not show an expired announcement as missed when it was received and the birth shows that it was played', async () => {
    const { storage, deviceId, owner, announced, step } = await openedOutbox(await open())
    const [received, last, above] = [await announced('1'), await announced('2'), await announced('4')]
    for (const { id } of [received, last, above]) await storage.outbox.markSent(id, owner, AT)
    await storage.outbox.recordAck(step(received.id, 'received'), AT)
    await storage.outbox.expire(GIVEN_UP_AT)
    await storage.outbox.begin(owner, GIVEN_UP_AT + 1, { born: bornWith({ played: last.n }) })
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '4' })
  })

  it('shows as missed what was received before a power cut, whatever the device has played since', async () => {
    const { storage, reopen, deviceId, owner, announced, step } = await openedOutbox(await open())
    const [sounding, waiting] = [await announced('1'), await announced('2')]
    for (const { id } of [sounding, waiting]) await storage.outbox.recordAck(step(id, 'received'), AT)
    await storage.outbox.expire(GIVEN_UP_AT)
    await storage.outbox.begin(owner, GIVEN_UP_AT, { born: bornWith({ played: sounding.n }) })
    const { outbox } = await reopen()
    await outbox.begin(owner, GIVEN_UP_AT + 1, { born: bornWith({ played: waiting.n + 1 }) })
    expect(await outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '2' })
  })

  it('keeps stage and time of a void received, and counts it again after another one', async () => {
    const { storage, owner, announced, step } = await openedOutbox(await open())
    const { id, n, trail } = await announced()
    await storage.outbox.recordAck(step(id, 'received'), AT + 1)
    const before = await trail()
    await storage.outbox.begin(owner, AT + 2, { born: bornWith({ played: n - 1 }) })
    expect(await trail()).toEqual(before)
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 3)).toBe('nothing')
    expect(await trail()).toEqual(before)
    await storage.outbox.begin(owner, STALE_AT, { born: bornWith({ played: n + 1 }) })
    expect(await trail()).toMatchObject({ stage: 'played' })
  })

  it('gives unsent announcements new numbers above all that the device has played', async () => {
    const { storage, deviceId, owner, announced } = await openedOutbox(await open())
    const waiting = [await announced(), await announced()]
    await storage.outbox.begin(owner, AT, { born: bornWith({ played: 0 }) })
    expect((await storage.outbox.open(deviceId, AT)).map(({ n }) => n)).toEqual(waiting.map(({ n }) => n))
    await storage.outbox.begin(owner, AT, { born: bornWith({ played: 1_000 }) })
    const renumbered = await storage.outbox.open(deviceId, AT)
    expect(renumbered.map(({ id, n }) => [id, n])).toEqual(
      waiting.map(({ id }, index) => [id, 1_001 + index]),
    )
  })

  it('counts a failed announcement as missed: nobody has heard it', async () => {
    const { storage, deviceId, announced, step } = await openedOutbox(await open())
    const failed = await announced('7')
    await storage.outbox.recordAck(step(failed.id, 'failed'), AT)
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '7' })
  })

  it('sums up missed payments exactly, until they were shown', async () => {
    const { storage, reopen, deviceId, announced, step } = await openedOutbox(await open())
    await announced('9999999999999')
    await announced('1')
    const played = await announced('7')
    await storage.outbox.recordAck(step(played.id, 'played'), AT)
    expect(await storage.outbox.missed(deviceId)).toBeUndefined()
    await storage.outbox.expire(STALE_AT)

    const { outbox } = await reopen()
    const summary = await outbox.missed(deviceId)
    expect(summary).toMatchObject({ count: 2, amount: '10000000000000' })
    if (!summary) return
    await outbox.markMissedShown(deviceId, summary.mark, STALE_AT + 2)
    expect(await outbox.missed(deviceId)).toBeUndefined()
  })
}
