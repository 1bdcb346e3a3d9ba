import { expect, it } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS } from '../../../../server/announcements/announcement.ts'
import { AT } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { openedOutbox } from './outbox.ts'

const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
/** A sent announcement may still be acked for a minute after its time. */
const GIVEN_UP_AT = STALE_AT + 60_000

export function expiryContract(open: OpenStorage) {
  it('ends an unsent announcement at its time, a sent one a minute later, and names each device once', async () => {
    const { storage, owner, deviceId, announced } = await openedOutbox(await open())
    const [waiting, another, sent] = [await announced(), await announced(), await announced()]
    await storage.outbox.markSent(sent.id, owner, AT)
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
    const { storage, deviceId, announced, step } = await openedOutbox(await open())
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
    const { storage, deviceId, announced } = await openedOutbox(await open())
    await announced()
    await storage.outbox.clockSetBack(AT + 1_001, { byMs: 20_000, since: AT + 1 })
    expect(await storage.outbox.expire(STALE_AT - 20_001)).toEqual([])
    expect(await storage.outbox.expire(STALE_AT - 20_000)).toEqual([deviceId])
  })

  it('does not change announcements from after the step, nor those that were over before it', async () => {
    const { storage, owner, deviceId, announced } = await openedOutbox(await open())
    const { id, trail } = await announced()
    await storage.outbox.markSent(id, owner, AT)
    await storage.outbox.clockSetBack(AT + 1_000, { byMs: 3_600_000, since: AT })
    await storage.outbox.clockSetBack(STALE_AT, { byMs: 60_000, since: STALE_AT - 1 })
    expect(await storage.outbox.expire(GIVEN_UP_AT - 1)).toEqual([])
    expect(await trail()).toMatchObject({ stage: 'sent' })
    expect(await storage.outbox.expire(GIVEN_UP_AT)).toEqual([deviceId])
  })

  it('at a start, expires all open announcements when a stored time is in the future, else none', async () => {
    const { storage, owner, deviceId, announced, step } = await openedOutbox(await open())
    const [sentLate, last] = [await announced(), await announced()]
    await storage.outbox.clockSetBack(AT)
    expect(await storage.outbox.expire(AT)).toEqual([])
    await storage.outbox.markSent(sentLate.id, owner, AT + 2)
    await storage.outbox.clockSetBack(AT + 2)
    expect(await storage.outbox.expire(AT + 2)).toEqual([])
    await storage.outbox.clockSetBack(AT + 1)
    expect(await storage.outbox.expire(AT + 1)).toEqual([deviceId])
    expect(await last.trail()).toMatchObject({ stage: 'expired' })
    expect(await storage.outbox.recordAck(step(sentLate.id, 'played'), AT + 1)).toBe('moved')
  })

  it('at a start, detects a clock that was set back by the newest announcement, also after its end', async () => {
    const { storage, deviceId, announced, step } = await openedOutbox(await open())
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
}
