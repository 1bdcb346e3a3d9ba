import { expect, it } from 'vitest'
import type { AckStep } from '../../../../server/announcements/ports.ts'
import { type EventType, firstSeqAt, type PartnerEvent } from '../../../../server/events/event.ts'
import { isoInstant } from '../../../../server/platform/clock.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

/** All events of a partner after a seq, as one that reads on from each `next` sees them. */
export async function eventsOf(
  { events }: Pick<Storage, 'events'>,
  clientId: string,
  { after = 0, types, limit = 100 }: { after?: number; types?: EventType[]; limit?: number } = {},
): Promise<PartnerEvent[]> {
  while ((await events.number(1_000)) > 0);
  const found: PartnerEvent[] = []
  for (let from = after; ; ) {
    const page = await events.page(clientId, { after: from, types, limit })
    expect(page.events.length).toBeLessThanOrEqual(limit)
    found.push(...page.events)
    if (page.next === from) return found
    from = page.next
  }
}

export const typesOf = (events: PartnerEvent[]) => events.map(({ type }) => type)
export const dataOf = (events: PartnerEvent[]) => events.map(({ type, data }) => [type, data])

export function eventContract(open: OpenStorage) {
  async function world() {
    const opened = await open()
    const { storage } = opened
    const shop = createShop(storage)
    const clientId = await shop.partner()
    const speaker = await shop.speaker(clientId)
    const [registered] = await eventsOf(storage, clientId)
    const since = registered?.seq ?? 0
    const read = (more: Parameters<typeof eventsOf>[2] = {}) =>
      eventsOf(storage, clientId, { after: since, ...more })
    const ack = (
      { id: announcementId, n: commandNumber }: { id: string; n: number },
      stage: AckStep['stage'],
      at: number,
      reason?: AckStep['reason'],
    ) => {
      const { deviceId } = speaker
      return storage.outbox.recordAck({ announcementId, commandNumber, deviceId, stage, reason }, at)
    }
    return { ...opened, shop, clientId, speaker, read, ack }
  }

  /** Two announcements of one payment at most: the first one. */
  function first<T>(announcements: readonly T[]): T {
    const [one] = announcements
    if (!one) throw new Error('the payment has an announcement')
    return one
  }

  it('has a payment with its bill, and what became of its announcement, each once and in order', async () => {
    const { storage, shop, clientId, speaker, read, ack } = await world()
    const { storeId, serial: deviceSerial, deviceId } = speaker
    await storage.bills.put(clientId, shop.bill(storeId), AT)
    const owner = ownerOf(deviceId)
    const change = { billNumber: 'B1', ftCode: 'FT-1', receivedAt: AT + 5 }
    const { announcements } = await payWell(shop, clientId, change)
    await storage.outbox.begin(owner, AT + 10, { born: bornWith() })
    const one = first(announcements)
    await storage.outbox.markSent(one.id, owner, AT + 20)
    await ack(one, 'received', AT + 30)
    await ack(one, 'played', AT + 40)
    await ack(one, 'played', AT + 50)
    await shop.pay(clientId, change)

    const [paid, bill, played, ...others] = await read()
    expect(others).toEqual([])
    const { id, ...what } = paid?.data ?? {}
    expect(paid).toMatchObject({ type: 'payment.recorded', at: AT + 5 })
    expect(what).toEqual({
      ...{ ftCode: 'FT-1', traceTransfer: '1', terminalID: 'T1', storeId, bankCode: 'MB', billNumber: 'B1' },
      ...{ transactionAmount: '50000', payDate: isoInstant(AT), receivedAt: isoInstant(AT + 5) },
      outcome: 'bill_paid',
    })
    expect(bill).toMatchObject({ type: 'bill.paid', at: AT + 5 })
    expect(bill?.data).toEqual({ storeId, billNumber: 'B1', transactionAmount: '50000', paymentId: id })
    expect(played).toMatchObject({ type: 'announcement.played', at: AT + 40 })
    expect(played?.data).toEqual({
      ...{ paymentId: id, ftCode: 'FT-1', traceTransfer: '1', storeId, terminalID: 'T1' },
      ...{ transactionAmount: '50000', deviceSerial, n: one.n },
      times: {
        ...{ queued: isoInstant(AT + 5), sent: isoInstant(AT + 20) },
        ...{ received: isoInstant(AT + 30), played: isoInstant(AT + 40) },
      },
    })
  })

  it('has nothing of a repeat, of another content, and of a payment to no store', async () => {
    const { shop, clientId, read } = await world()
    await shop.pay(clientId, { ftCode: 'FT-1' })
    await shop.pay(clientId, { ftCode: 'FT-1' })
    await shop.pay(clientId, { ftCode: 'FT-1', amount: '60000' })
    await shop.pay(clientId, { ftCode: 'FT-2', terminalID: 'unknown' })
    expect(typesOf(await read())).toEqual(['payment.recorded'])
  })

  it('tells each end of an announcement, and the same of it at every later reading', async () => {
    const { storage, shop, clientId, speaker, read, ack } = await world()
    const { serial, deviceId } = speaker
    const owner = ownerOf(deviceId)
    const failed = first((await payWell(shop, clientId)).announcements)
    const refused = first((await payWell(shop, clientId)).announcements)
    const missed = first((await payWell(shop, clientId)).announcements)
    await storage.outbox.begin(owner, AT, { born: bornWith() })
    await ack(failed, 'failed', AT + 1, 'audio_failed')
    await ack(refused, 'expired', AT + 2, 'muted')
    await storage.outbox.markSent(missed.id, owner, AT + 3)
    await storage.outbox.expire(AT + 600_000)
    await payWell(shop, clientId, { receivedAt: AT + 600_001 })
    await storage.devices.setActive(byPartner(clientId), serial, false, AT + 600_002)
    await payWell(shop, clientId, { receivedAt: AT + 600_003 })

    const ends: EventType[] = [
      ...(['announcement.failed', 'announcement.missed'] as const),
      ...(['announcement.played', 'announcement.suppressed'] as const),
    ]
    const before = await read({ types: ends })
    expect(before.map(({ type, data }) => [type, data.n, data.reason])).toEqual([
      ['announcement.failed', failed.n, 'audio_failed'],
      ['announcement.missed', refused.n, 'muted'],
      ['announcement.missed', missed.n, undefined],
      ['announcement.suppressed', expect.any(Number), undefined],
      // Suppressed from the start, it was never a command.
      ['announcement.suppressed', undefined, undefined],
    ])
    expect(before[2]?.data.times).toEqual({
      ...{ queued: isoInstant(AT), sent: isoInstant(AT + 3), expired: isoInstant(AT + 600_000) },
    })

    // The device has played it after all, shows what it has missed, is born again, and goes to another partner.
    await ack(missed, 'played', AT + 700_000)
    await ack(missed, 'received', AT + 700_000)
    await storage.outbox.begin(ownerOf(deviceId, 'another session'), AT + 700_001, {
      born: bornWith({ played: 1_000 }),
    })
    const mark = await storage.outbox.missed(deviceId)
    if (mark) await storage.outbox.markMissedShown(deviceId, mark.mark, AT + 700_002)
    await storage.outbox.clockSetBack(AT - 1_000)
    await storage.devices.unregister(byPartner(clientId), serial, AT + 700_003)
    expect(await read({ types: ends })).toEqual(before)
  })

  it('numbers the events of each partner by itself, above the clock and rising', async () => {
    const { storage, shop, clientId, read } = await world()
    const other = await shop.partner()
    await shop.speaker(other)
    for (const receivedAt of [AT + 10, AT + 10, AT + 5]) {
      await shop.pay(clientId, { receivedAt })
      await shop.pay(other, { receivedAt })
    }
    const [mine, theirs] = [await read(), await eventsOf(storage, other)]
    for (const found of [mine, theirs]) {
      const seqs = found.map(({ seq }) => seq)
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
      for (const { seq } of found) expect(seq).toBeGreaterThanOrEqual(firstSeqAt(AT))
    }
    expect(mine).toHaveLength(3)
    expect(theirs).toHaveLength(4)
    const ids = [...mine, ...theirs].map(({ id }) => id)
    expect(new Set(ids).size).toBe(7)
    for (const id of ids) expect(id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
    const heads = await storage.events.heads([clientId, other, 'sbc_unknown'])
    expect([...heads].sort()).toEqual(
      [
        [clientId, mine.at(-1)?.seq],
        [other, theirs.at(-1)?.seq],
      ].sort(),
    )
  })

  it('finds an event by its id, for its partner only', async () => {
    const { storage, shop, clientId, read } = await world()
    await shop.pay(clientId)
    const other = await shop.partner()
    const [event] = await read()
    if (!event) throw new Error('the payment has an event')
    expect(await storage.events.find(clientId, event.id)).toEqual(event)
    expect(await storage.events.find(other, event.id)).toBeUndefined()
    const changed = event.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const id of [changed, event.id.slice(0, -1), `${event.id}0`, '', 'evt_'])
      expect(await storage.events.find(clientId, id)).toBeUndefined()
  })

  it('has outlines of all events, in which only a test has data', async () => {
    const { storage, shop, clientId, read } = await world()
    await shop.pay(clientId)
    for (const other of ['sbc_0', 'sbc_~'])
      await storage.events.addTest(await shop.partner(other), 'webhook-2', AT + 1)
    await storage.events.addTest(clientId, 'webhook-1', AT + 1)
    const all = await read()
    const outlines = all.map(({ id: _, data, ...event }) => ({
      ...event,
      data: event.type === 'webhook.test' ? data : {},
    }))
    expect(outlines.map(({ data }) => data)).toContainEqual({ webhookId: 'webhook-1' })
    const after = (all[0]?.seq ?? 0) - 1
    expect(await storage.events.outlines(clientId, { after, limit: 10 })).toEqual(outlines)
    expect(await storage.events.outlines(clientId, { after, limit: 1 })).toEqual(outlines.slice(0, 1))
    expect(await storage.events.outlines('sbc_unknown', { after: 0, limit: 10 })).toEqual([])
  })

  it('gives pages of the types that are asked for, from where the last one ended', async () => {
    const { shop, clientId, read, ack } = await world()
    for (let count = 0; count < 5; count += 1) {
      const { announcements } = await payWell(shop, clientId)
      if (count % 2 === 0) await ack(first(announcements), 'played', AT + count)
    }
    const all = await read()
    expect(all).toHaveLength(8)
    for (const limit of [1, 2, 3, 8]) {
      expect(await read({ limit })).toEqual(all)
      for (const type of ['payment.recorded', 'announcement.played', 'device.online'] as const)
        expect(await read({ limit, types: [type] })).toEqual(all.filter((event) => event.type === type))
    }
    const [, second] = all
    expect(await read({ after: second?.seq ?? 0 })).toEqual(all.slice(2))
  })

  it('looks at a bounded number of events in one read for those of some types', async () => {
    const { storage, clientId, read } = await world()
    const tests = Array.from({ length: 310 }, () => storage.events.addTest(clientId, 'webhook-1', AT + 1))
    await Promise.all(tests)
    const all = await read()
    const query = { after: all[0]?.seq ?? 0, types: ['bill.paid'] as const, limit: 100 }
    const page = await storage.events.page(clientId, query)
    expect(page).toMatchObject({ events: [], next: all[300]?.seq })
    expect(await read({ types: ['bill.paid'] })).toEqual([])
  })

  it('deletes old events, says up to where, and goes on above', async () => {
    const { storage, shop, clientId, read } = await world()
    const other = await shop.partner()
    await shop.speaker(other)
    await shop.pay(clientId, { receivedAt: AT + 1 })
    await shop.pay(clientId, { receivedAt: AT + 2 })
    const [old, young] = await read()
    const { events, retention } = storage
    const prune = async (before: number) => {
      let deleted = 0
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: { deleted: number; next: string | undefined } = await retention.pruneEvents(before, after)
        deleted += page.deleted
        after = page.next
      }
      return deleted
    }
    const page = () => events.page(clientId, { after: 0, limit: 10 })
    expect(await page()).toMatchObject({ deletedUpTo: 0 })
    expect(await prune(AT)).toBe(0)
    // The registrations of both partners, and a payment.
    expect(await prune(AT + 2)).toBe(3)
    expect(await page()).toEqual({ events: [young], next: young?.seq, deletedUpTo: old?.seq })
    for (const untouched of ['sbc_0', 'sbc_~'])
      expect(await events.page(untouched, { after: 0, limit: 10 })).toMatchObject({ deletedUpTo: 0 })
    expect(await events.find(clientId, old?.id ?? '')).toBeUndefined()
    expect(await prune(AT + 3)).toBe(1)
    expect(await page()).toEqual({ events: [], next: 0, deletedUpTo: young?.seq })
    // Also with a clock that was set back, and none left to count from.
    await shop.pay(clientId, { receivedAt: AT - 1_000 })
    const [next] = await read({ after: young?.seq ?? 0 })
    expect(next).toMatchObject({ type: 'payment.recorded', at: AT - 1_000 })
  })

  it('deletes no event behind a young one, also when an old one follows', async () => {
    const { storage, shop, clientId, read } = await world()
    for (const receivedAt of [AT, AT + 9, AT, AT + 9]) await shop.pay(clientId, { receivedAt })
    expect((await read()).map(({ at }) => at)).toEqual([AT, AT + 9, AT, AT + 9])
    await storage.retention.pruneEvents(AT + 1, '')
    expect((await read()).map(({ at }) => at)).toEqual([AT + 9, AT, AT + 9])
  })

  it('leaves out an event whose payment was deleted, and goes on behind it', async () => {
    const { storage, shop, clientId, read, ack } = await world()
    await ack(first((await payWell(shop, clientId)).announcements), 'played', AT + 1)
    await storage.retention.prunePayments(AT + 1, '', AT + 2)
    await shop.pay(clientId, { receivedAt: AT + 3 })
    expect((await read({ limit: 1 })).map(({ at }) => at)).toEqual([AT + 3])
  })

  it('keeps everything over a restart', async () => {
    const { shop, clientId, read, reopen } = await world()
    await shop.pay(clientId)
    const before = await read()
    const later = await reopen()
    const after = await eventsOf(later, clientId)
    expect(after.slice(-1)).toEqual(before)
  })
}
