import { expect, it } from 'vitest'
import { byPartner, HUB } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop, hashOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const DAY_MS = 24 * 60 * 60_000
/** Rows of a page. */
const PAGE = 25

export function retentionContract(open: OpenStorage) {
  async function world() {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const speaker = await shop.speaker(clientId)
    const pay = async (ftCode: string, receivedAt = AT) => {
      const { announcements } = await payWell(shop, clientId, { ftCode, receivedAt })
      return { id: announcements[0]?.id ?? '', n: announcements[0]?.n ?? 0 }
    }
    /** The announcement has come to its end: the speaker has played it. */
    const play = async ({ id: announcementId, n: commandNumber }: { id: string; n: number }) => {
      const { deviceId } = speaker
      const step = {
        ...{ announcementId, commandNumber, deviceId, reason: undefined },
        stage: 'played' as const,
      }
      expect(await storage.outbox.recordAck(step, AT)).toBe('moved')
    }
    const isKnown = async (ftCode: string) =>
      (await storage.payments.findByFtCode(clientId, ftCode)) !== undefined
    return { storage, shop, clientId, speaker, pay, play, isKnown }
  }

  it('deletes old payments with their announcements page by page; young payments and the totals stay', async () => {
    const { storage, clientId, speaker, pay, play, isKnown } = await world()
    const { retention } = storage
    const count = 2 * PAGE + 5
    const codes = Array.from({ length: count }, (_, n) => `FT-${n}`)
    for (const ftCode of codes) await play(await pay(ftCode))
    await play(await pay('FT-young', AT + 1))

    const pages: number[] = []
    let after: string | undefined = ''
    while (after !== undefined) {
      const page: { deleted: number; next: string | undefined } = await retention.prunePayments(
        AT + 1,
        after,
        AT,
      )
      pages.push(page.deleted)
      after = page.next
    }
    expect(pages).toEqual([PAGE, PAGE, 5])
    expect(await isKnown('FT-0')).toBe(false)
    expect(await isKnown('FT-young')).toBe(true)
    const store = await storage.stores.find(clientId, speaker.storeId)
    expect(store).toMatchObject({
      totalTransaction: BigInt(count + 1),
      totalAmount: 50_000n * BigInt(count + 1),
    })
    const { rows } = await storage.lists.announcements.ofDevice(speaker, 0, { limit: 100 })
    expect(rows).toMatchObject([{ n: count + 1 }])
  })

  it('knows a payment that it has deleted, and counts no repeat of it', async () => {
    const { storage, shop, clientId, speaker, pay, play, isKnown } = await world()
    const first = await payWell(shop, clientId, { ftCode: 'FT-1', contentHash: 'the same' })
    const { id = '', n = 0 } = first.announcements[0] ?? {}
    await play({ id, n: n ?? 0 })
    expect(await storage.retention.prunePayments(AT + 1, '', AT)).toMatchObject({ deleted: 1 })
    expect(await isKnown('FT-1')).toBe(false)

    const total = async () => (await storage.stores.find(clientId, speaker.storeId))?.totalTransaction
    const again = (change: object) =>
      storage.payments.record(shop.payment(clientId, { ftCode: 'FT-1', ...change }))
    for (const _ of [1, 2])
      expect(await again({ contentHash: 'the same' })).toEqual({ kind: 'replayed', answer: first.answer })
    expect(await again({ contentHash: 'another' })).toEqual({ kind: 'conflict' })
    expect([await isKnown('FT-1'), await total()]).toEqual([false, 1n])

    await play(await pay('FT-2'))
    expect([await isKnown('FT-2'), await total()]).toEqual([true, 2n])
  })

  it('knows it after a restart, and as the payment of its own partner alone', async () => {
    const { storage, reopen } = await open()
    const shop = createShop(storage)
    const [mine, other] = [await shop.partner(), await shop.partner()]
    const { deviceId } = await shop.speaker(mine)
    await shop.speaker(other)
    const change = { ftCode: 'FT-1', contentHash: 'the same' }
    const first = await payWell(shop, mine, change)
    const [{ id: announcementId = '', n: commandNumber = 0 } = {}] = first.announcements
    const played = { announcementId, commandNumber, deviceId, reason: undefined, stage: 'played' as const }
    await storage.outbox.recordAck(played, AT)
    expect(await storage.retention.prunePayments(AT + 1, '', AT)).toMatchObject({ deleted: 1 })

    const later = createShop(await reopen())
    expect(await later.pay(mine, change)).toEqual({ kind: 'replayed', answer: first.answer })
    const { answer } = await payWell(later, other, change)
    expect(await later.pay(other, change)).toEqual({ kind: 'replayed', answer })
  })

  it('knows it until it forgets it, page by page', async () => {
    const { storage, shop, clientId, pay, play, isKnown } = await world()
    const { retention } = storage
    // It stays, so that what is left of a payment has another number than the payment.
    await pay('FT-open')
    const codes = Array.from({ length: PAGE + 1 }, (_, n) => `FT-${n}`)
    for (const ftCode of codes) await play(await pay(ftCode))
    for (const after of ['', '']) await retention.prunePayments(AT + 1, after, AT)
    expect(await retention.forgetDeleted(AT, '')).toMatchObject({ deleted: 0, next: undefined })
    const page = await retention.forgetDeleted(AT + 1, '')
    expect(page.deleted).toBe(PAGE)
    expect(await retention.forgetDeleted(AT + 1, page.next ?? '')).toMatchObject({
      deleted: 1,
      next: undefined,
    })
    for (const ftCode of ['FT-0', `FT-${PAGE}`]) {
      await pay(ftCode)
      expect(await isKnown(ftCode)).toBe(true)
    }
    expect(await shop.pay(clientId, { ftCode: 'FT-open', receivedAt: AT })).toMatchObject({
      kind: 'replayed',
    })
  })

  it('keeps a payment that a speaker has still to play or to show as missed, and deletes later ones', async () => {
    const { storage, speaker, pay, play, isKnown } = await world()
    const { retention, outbox } = storage
    await pay('FT-open')
    await play(await pay('FT-played'))
    const long = AT + 400 * DAY_MS
    expect(await retention.prunePayments(long, '', AT)).toMatchObject({ deleted: 1, next: undefined })
    expect([await isKnown('FT-open'), await isKnown('FT-played')]).toEqual([true, false])

    await outbox.expire(long)
    expect(await retention.prunePayments(long, '', AT)).toMatchObject({ deleted: 0 })
    const missed = await outbox.missed(speaker.deviceId)
    expect(missed).toMatchObject({ count: 1 })

    await outbox.markMissedShown(speaker.deviceId, missed?.mark ?? { upTo: 0, except: [] }, long)
    expect(await retention.prunePayments(long, '', AT)).toMatchObject({ deleted: 1 })
  })

  it('deletes no payment behind a young one, whatever its time; one from the future does not count as young', async () => {
    const { storage, pay, play, isKnown } = await world()
    const times = [AT, AT + 400 * DAY_MS, AT, AT + DAY_MS, AT]
    for (const [n, at] of times.entries()) await play(await pay(`FT-${n}`, at))
    await storage.retention.prunePayments(AT + 1, '', AT + 2 * DAY_MS)
    expect(await Promise.all(times.map((_, n) => isKnown(`FT-${n}`)))).toEqual([
      false,
      true,
      false,
      true,
      true,
    ])
  })

  it('does not wait until a revoked speaker shows what it has missed', async () => {
    const { storage, speaker, pay } = await world()
    await pay('FT-missed')
    await storage.outbox.expire(AT + DAY_MS)
    await storage.devices.revoke(OPERATOR, speaker.serial, AT + DAY_MS)
    expect(await storage.retention.prunePayments(AT + DAY_MS, '', AT)).toMatchObject({ deleted: 1 })
  })

  it('deletes codes that have ended, never one that is outstanding', async () => {
    const { storage, shop, clientId } = await world()
    const other = await shop.device()
    // The speaker's was used; the first of these replaces none, and the next replaces it.
    for (const at of [AT + 1, AT + 2]) await shop.issue(clientId, other, '123456', at)
    expect(await storage.retention.pruneCodes(AT + 2, '')).toMatchObject({ deleted: 2, next: undefined })
    expect(await storage.retention.pruneCodes(AT + DAY_MS, '')).toMatchObject({ deleted: 0 })
    const registered = await storage.devices.register(
      byPartner(clientId),
      shop.registration(clientId, other.serial),
      AT + 3,
    )
    expect(registered).toMatchObject({ kind: 'registered' })
  })

  it('deletes expired outcomes of idempotency keys', async () => {
    const { storage } = await world()
    const { idempotency, retention } = storage
    const kept = { request: hashOf('request'), outcome: { kind: 'done' as const, status: 201, body: '{}' } }
    await idempotency.keep(hashOf('over'), kept, AT, AT + 10)
    await idempotency.keep(hashOf('live'), kept, AT, AT + 20)
    expect(await retention.pruneIdempotencyKeys(AT + 10)).toEqual({ deleted: 1, next: undefined })
    expect(await idempotency.find(hashOf('live'), AT + 10)).toBeDefined()
  })

  it('knows when the newest payment was received', async () => {
    const { storage, pay } = await world()
    expect(await storage.retention.newestReceivedAt()).toBeUndefined()
    await pay('FT-1', AT + 5)
    // The first one under a clock that was set back.
    await pay('FT-2', AT + 1)
    expect(await storage.retention.newestReceivedAt()).toBe(AT + 5)
  })

  it('stores in the audit whether the clock is in doubt', async () => {
    const { storage } = await world()
    await storage.retention.noteClock(HUB, 'clock.doubt', AT, { why: 'start', jumpMs: 5 })
    await storage.retention.noteClock(OPERATOR, 'clock.confirm', AT, {})
    expect(await storage.audit.list({ action: 'clock.', limit: 2 })).toMatchObject([
      { action: 'clock.confirm', at: AT },
      { action: 'clock.doubt', details: { why: 'start', jumpMs: 5 } },
    ])
  })
}
