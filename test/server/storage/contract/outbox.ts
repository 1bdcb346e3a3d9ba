import { expect, it } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../server/announcements/announcement.ts'
import { AT, createShop, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
/** What was sent may still be acked for a minute after its time. */
const GIVEN_UP_AT = STALE_AT + 60_000

async function opened({ storage, reopen }: ReturnType<OpenStorage>) {
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { deviceId, serial } = await shop.speaker(clientId)
  async function announced(amount = '50000') {
    const ftCode = shop.ids.uuid()
    const [announcement] = (await payWell(shop, clientId, { amount, ftCode })).announcements
    if (!announcement) throw new Error('nothing was announced')
    const trail = async () => (await storage.payments.findByFtCode(clientId, ftCode))?.announcements[0]
    return { ...announcement, trail }
  }
  const step = (announcementId: string, stage: 'received' | 'played' | 'failed', reason?: string) => ({
    ...{ announcementId, deviceId, stage, reason },
  })
  return { storage, reopen, shop, clientId, deviceId, serial, announced, step }
}

export function outboxContract(open: OpenStorage) {
  it('numbers the commands of a device without gap or repetition, announcements and others alike', async () => {
    const { storage, deviceId, announced } = await opened(open())
    const numbers = await Promise.all([
      announced().then(({ n }) => n),
      storage.outbox.nextNumber(deviceId),
      announced().then(({ n }) => n),
      storage.outbox.nextNumber(deviceId),
    ])
    expect(numbers.sort()).toEqual([1, 2, 3, 4])
    expect(await storage.outbox.highestNumber(deviceId)).toBe(4)
  })

  it('never gives a number twice, over a reopening', async () => {
    const { storage, reopen, deviceId } = await opened(open())
    expect(await storage.outbox.nextNumber(deviceId)).toBe(1)
    expect(await reopen().outbox.nextNumber(deviceId)).toBe(2)
  })

  it('numbers each device on its own', async () => {
    const { storage, shop, clientId, deviceId } = await opened(open())
    const other = await shop.speaker(clientId)
    await storage.outbox.nextNumber(deviceId)
    expect(await storage.outbox.nextNumber(other.deviceId)).toBe(1)
  })

  it('lists what is open and still fresh, by rising number', async () => {
    const { storage, deviceId, announced, step } = await opened(open())
    const [first, second, third] = [await announced('1'), await announced('2'), await announced('3')]
    await storage.outbox.recordAck(step(second.id, 'played'), AT)
    const listed = await storage.outbox.open(deviceId, STALE_AT - 1)
    expect(listed.map(({ id, n, amount }) => [id, n, amount])).toEqual([
      [first.id, 1, '1'],
      [third.id, 3, '3'],
    ])
    expect(await storage.outbox.open(deviceId, STALE_AT)).toEqual([])
  })

  it('keeps the time of every stage on the way to played', async () => {
    const { storage, announced, step } = await opened(open())
    const { id, trail } = await announced()
    await storage.outbox.markSent(id, AT + 1)
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 2)).toBe(true)
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 3)).toBe(true)
    expect(await trail()).toMatchObject({
      stage: 'played',
      times: { queued: AT, sent: AT + 1, received: AT + 2, played: AT + 3 },
    })
  })

  it('keeps why an announcement failed', async () => {
    const { storage, announced, step } = await opened(open())
    const { id, trail } = await announced()
    expect(await storage.outbox.recordAck(step(id, 'failed', 'audio_failed'), AT)).toBe(true)
    expect(await trail()).toMatchObject({ stage: 'failed', reason: 'audio_failed' })
  })

  it.each(['played', 'failed'] as const)('moves nothing out of %s', async (final) => {
    const { storage, announced, step } = await opened(open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, final), AT + 1)
    const before = await trail()
    for (const stage of ['received', 'played', 'failed'] as const)
      expect(await storage.outbox.recordAck(step(id, stage), AT + 2)).toBe(false)
    await storage.outbox.markSent(id, AT + 3)
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([])
    expect(await trail()).toEqual(before)
  })

  it('moves nothing out of expired: who was told "missed" is not told "played"', async () => {
    const { storage, announced, step } = await opened(open())
    const { id, trail } = await announced()
    await storage.outbox.expire(STALE_AT)
    expect(await storage.outbox.recordAck(step(id, 'played'), STALE_AT + 1)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'expired' })
  })

  it('moves nothing out of suppressed', async () => {
    const { storage, clientId, serial, announced, step } = await opened(open())
    const { id, trail } = await announced()
    await storage.devices.setActive(clientId, serial, false, AT + 1)
    await storage.outbox.markSent(id, AT + 2)
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 2)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'suppressed', times: { queued: AT, suppressed: AT + 1 } })
  })

  it('moves nothing back from received to sent, nor counts received twice', async () => {
    const { storage, announced, step } = await opened(open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, 'received'), AT + 1)
    await storage.outbox.markSent(id, AT + 2)
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 3)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'received', times: { received: AT + 1 } })
  })

  it("takes no word of one device on another's announcement", async () => {
    const { storage, shop, announced, step } = await opened(open())
    const { id, trail } = await announced()
    const { deviceId } = await shop.device()
    expect(await storage.outbox.recordAck({ ...step(id, 'played'), deviceId }, AT)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'queued' })
  })

  it('ends what was never sent at its time, what was sent a minute later, and names the device once', async () => {
    const { storage, deviceId, announced } = await opened(open())
    const [waiting, another, sent] = [await announced(), await announced(), await announced()]
    await storage.outbox.markSent(sent.id, AT)
    expect(await storage.outbox.expire(STALE_AT - 1)).toEqual([])
    expect(await storage.outbox.expire(STALE_AT)).toEqual([deviceId])
    expect(await waiting.trail()).toMatchObject({ stage: 'expired', times: { expired: STALE_AT } })
    expect(await another.trail()).toMatchObject({ stage: 'expired' })
    expect(await storage.outbox.expire(GIVEN_UP_AT - 1)).toEqual([])
    expect(await sent.trail()).toMatchObject({ stage: 'sent' })
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([deviceId])
    expect(await sent.trail()).toMatchObject({ stage: 'expired' })
  })

  it('ends at a birth what the device says it has not played, and waits for the ack of what it has', async () => {
    const { storage, deviceId, announced } = await opened(open())
    const [played, unplayed] = [await announced(), await announced()]
    for (const { id } of [played, unplayed]) await storage.outbox.markSent(id, AT)
    await storage.outbox.expireUnplayed(deviceId, played.n, STALE_AT - 1)
    expect(await unplayed.trail()).toMatchObject({ stage: 'sent' })
    await storage.outbox.expireUnplayed(deviceId, played.n, STALE_AT)
    expect(await unplayed.trail()).toMatchObject({ stage: 'expired' })
    expect(await played.trail()).toMatchObject({ stage: 'sent' })
  })

  it('sums up what was missed, exactly, until it was shown', async () => {
    const { storage, reopen, deviceId, announced, step } = await opened(open())
    const missed = [await announced('9999999999999'), await announced('1')]
    const played = await announced('7')
    await storage.outbox.recordAck(step(played.id, 'played'), AT)
    expect(await storage.outbox.missed(deviceId)).toBeUndefined()
    await storage.outbox.expire(STALE_AT)

    const { outbox } = reopen()
    const summary = await outbox.missed(deviceId)
    expect(summary).toMatchObject({ count: 2, amount: '10000000000000' })
    expect(summary?.announcementIds.sort()).toEqual(missed.map(({ id }) => id).sort())
    await outbox.markMissedShown([missed[0]?.id ?? ''], STALE_AT + 1)
    expect(await outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '1' })
    await outbox.markMissedShown(summary?.announcementIds ?? [], STALE_AT + 2)
    expect(await outbox.missed(deviceId)).toBeUndefined()
  })
}
