import { expect, it } from 'vitest'
import { AT, bornWith } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { GIVEN_UP_AT, opened, STALE_AT } from './announced.ts'

export function outboxContract(open: OpenStorage) {
  it('numbers the commands of a device without gap or repetition, announcements and others alike', async () => {
    const { storage, deviceId, announced } = await opened(await open())
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
    const { storage, reopen, deviceId } = await opened(await open())
    expect(await storage.outbox.nextNumber(deviceId)).toBe(1)
    expect(await (await reopen()).outbox.nextNumber(deviceId)).toBe(2)
  })

  it('numbers each device on its own', async () => {
    const { storage, shop, clientId, deviceId } = await opened(await open())
    const other = await shop.speaker(clientId)
    await storage.outbox.nextNumber(deviceId)
    expect(await storage.outbox.nextNumber(other.deviceId)).toBe(1)
  })

  it('lists the open and fresh announcements by rising number', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
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
    const { storage, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    expect(await storage.outbox.markSent(id, AT + 1)).toBe(true)
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 2)).toBe(true)
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 3)).toBe(true)
    expect(await trail()).toMatchObject({
      stage: 'played',
      times: { queued: AT, sent: AT + 1, received: AT + 2, played: AT + 3 },
    })
  })

  it('stores the reason why an announcement failed', async () => {
    const { storage, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    expect(await storage.outbox.recordAck(step(id, 'failed', 'audio_failed'), AT)).toBe(true)
    expect(await trail()).toMatchObject({ stage: 'failed', reason: 'audio_failed' })
  })

  it.each(['played', 'failed'] as const)('moves nothing out of %s', async (final) => {
    const { storage, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, final), AT + 1)
    const before = await trail()
    for (const stage of ['received', 'played', 'failed'] as const)
      expect(await storage.outbox.recordAck(step(id, stage), AT + 2)).toBe(false)
    expect(await storage.outbox.markSent(id, AT + 3)).toBe(false)
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([])
    expect(await trail()).toEqual(before)
  })

  it('moves nothing out of expired: who was told "missed" is not told "played"', async () => {
    const { storage, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    await storage.outbox.expire(STALE_AT)
    expect(await storage.outbox.recordAck(step(id, 'played'), STALE_AT + 1)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'expired' })
  })

  it('moves nothing out of suppressed', async () => {
    const { storage, clientId, serial, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    await storage.devices.setActive(clientId, serial, false, AT + 1)
    expect(await storage.outbox.markSent(id, AT + 2)).toBe(false)
    expect(await storage.outbox.recordAck(step(id, 'played'), AT + 2)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'suppressed', times: { queued: AT, suppressed: AT + 1 } })
  })

  it('moves nothing back from received to sent, nor counts received twice', async () => {
    const { storage, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    await storage.outbox.recordAck(step(id, 'received'), AT + 1)
    expect(await storage.outbox.markSent(id, AT + 2)).toBe(true)
    expect(await storage.outbox.recordAck(step(id, 'received'), AT + 3)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'received', times: { received: AT + 1 } })
  })

  it("takes no ack of one device for another's announcement", async () => {
    const { storage, shop, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    const { deviceId } = await shop.device()
    expect(await storage.outbox.recordAck({ ...step(id, 'played'), deviceId }, AT)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'queued' })
  })

  it('takes no ack that names another command number: a restore may have renumbered the announcement', async () => {
    const { storage, announced, step } = await opened(await open())
    const { id, n, trail } = await announced()
    for (const stage of ['received', 'played', 'failed', 'expired'] as const)
      expect(await storage.outbox.recordAck({ ...step(id, stage), commandNumber: n + 1 }, AT)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'queued', reason: undefined })
  })

  it('takes no ack under the number from before a restore, and one under the new number', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const { id, trail } = await announced()
    await storage.devices.recordBirth(deviceId, bornWith({ played: 1_000 }), AT)
    await storage.outbox.reconcile(deviceId, 1_000, AT)
    expect(await storage.outbox.recordAck(step(id, 'played'), AT)).toBe(false)
    expect(await trail()).toMatchObject({ stage: 'queued', n: 1_001 })
    expect(await storage.outbox.recordAck({ ...step(id, 'played'), commandNumber: 1_001 }, AT)).toBe(true)
    expect(await trail()).toMatchObject({ stage: 'played' })
  })

  it('ends an unsent announcement at its time, a sent one a minute later, and names each device once', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const [waiting, another, sent] = [await announced(), await announced(), await announced()]
    await storage.outbox.markSent(sent.id, AT)
    expect(await storage.outbox.expire(STALE_AT - 1)).toEqual([])
    expect(await storage.outbox.expire(STALE_AT)).toEqual([deviceId])
    expect(await waiting.trail()).toMatchObject({ stage: 'expired', times: { expired: STALE_AT } })
    expect(await another.trail()).toMatchObject({ stage: 'expired' })
    expect(await storage.outbox.expire(GIVEN_UP_AT - 1)).toEqual([])
    expect(await sent.trail()).toMatchObject({ stage: 'sent' })
    expect(await storage.outbox.expire(GIVEN_UP_AT, GIVEN_UP_AT - 1)).toEqual([])
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([deviceId])
    expect(await sent.trail()).toMatchObject({ stage: 'expired' })
  })

  it('ends open announcements earlier by as much as the clock was set back', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [waiting, played] = [await announced(), await announced()]
    await storage.outbox.recordAck(step(played.id, 'played'), AT)
    const hour = 3_600_000
    await storage.outbox.clockSetBack(AT - hour + 1, { byMs: hour, since: AT - hour })
    expect(await storage.outbox.expire(STALE_AT - hour - 1)).toEqual([])
    expect(await waiting.trail()).toMatchObject({ stage: 'queued' })
    expect(await storage.outbox.expire(STALE_AT - hour)).toEqual([deviceId])
    expect(await waiting.trail()).toMatchObject({ stage: 'expired' })
    expect(await played.trail()).toMatchObject({ stage: 'played' })
  })

  it('ends those earlier, too, that are older than the step of the clock', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    await announced()
    await storage.outbox.clockSetBack(AT + 1_001, { byMs: 20_000, since: AT + 1 })
    expect(await storage.outbox.expire(STALE_AT - 20_001)).toEqual([])
    expect(await storage.outbox.expire(STALE_AT - 20_000)).toEqual([deviceId])
  })

  it('does not change announcements from after the step, nor those that were over before it', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const { id, trail } = await announced()
    await storage.outbox.markSent(id, AT)
    await storage.outbox.clockSetBack(AT + 1_000, { byMs: 3_600_000, since: AT })
    await storage.outbox.clockSetBack(STALE_AT, { byMs: 60_000, since: STALE_AT - 1 })
    expect(await storage.outbox.expire(GIVEN_UP_AT - 1)).toEqual([])
    expect(await trail()).toMatchObject({ stage: 'sent' })
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([deviceId])
  })

  it('expires all that is open at a start when a stored time is in the future, and nothing when none is', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [sentLate, last] = [await announced(), await announced()]
    await storage.outbox.clockSetBack(AT)
    expect(await storage.outbox.expire(AT)).toEqual([])
    await storage.outbox.markSent(sentLate.id, AT + 2)
    await storage.outbox.clockSetBack(AT + 2)
    expect(await storage.outbox.expire(AT + 2)).toEqual([])
    await storage.outbox.clockSetBack(AT + 1)
    expect(await storage.outbox.expire(AT + 1)).toEqual([deviceId])
    expect(await last.trail()).toMatchObject({ stage: 'expired' })
    expect(await storage.outbox.recordAck(step(sentLate.id, 'played'), AT + 1)).toBe(true)
  })

  it('learns at a start from the newest announcement, although it has ended, that the clock was set back', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [waiting, newest] = [await announced(), await announced()]
    await storage.outbox.clockSetBack(AT - 10_000, { byMs: 10_000, since: AT - 10_000 - 1 })
    await storage.outbox.clockSetBack(AT - 10_000)
    expect(await storage.outbox.expire(AT - 10_000)).toEqual([])
    expect(await waiting.trail()).toMatchObject({ stage: 'queued' })
    await storage.outbox.recordAck(step(newest.id, 'played'), AT)
    await storage.outbox.clockSetBack(AT - 10_001)
    expect(await storage.outbox.expire(AT - 10_001)).toEqual([deviceId])
    expect(await waiting.trail()).toMatchObject({ stage: 'expired' })
  })

  it('counts a failed announcement as missed: nobody has heard it', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const failed = await announced('7')
    await storage.outbox.recordAck(step(failed.id, 'failed'), AT)
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '7' })
  })

  it('sums up missed payments exactly, until they were shown', async () => {
    const { storage, reopen, deviceId, announced, step } = await opened(await open())
    const missed = [await announced('9999999999999'), await announced('1')]
    const played = await announced('7')
    await storage.outbox.recordAck(step(played.id, 'played'), AT)
    expect(await storage.outbox.missed(deviceId)).toBeUndefined()
    await storage.outbox.expire(STALE_AT)

    const { outbox } = await reopen()
    const summary = await outbox.missed(deviceId)
    expect(summary).toMatchObject({ count: 2, amount: '10000000000000' })
    expect(summary?.announcementIds.sort()).toEqual(missed.map(({ id }) => id).sort())
    await outbox.markMissedShown([missed[0]?.id ?? ''], STALE_AT + 1)
    expect(await outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '1' })
    await outbox.markMissedShown(summary?.announcementIds ?? [], STALE_AT + 2)
    expect(await outbox.missed(deviceId)).toBeUndefined()
  })
}
