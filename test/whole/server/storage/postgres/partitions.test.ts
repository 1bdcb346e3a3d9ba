import { describe, expect, it } from 'vitest'
import { readPages } from '../../../../../server/platform/page.ts'
import { byPartner } from '../../../../../server/security/actor.ts'
import type { Storage } from '../../../../../server/storage/ports.ts'
import { deliveryOf, progressOf, secretOf, webhookOf } from '../../../../server/storage/webhook-world.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { until } from '../../../../support/wait.ts'
import { connected, KEEP_MS, partitionWorld, retain, WIDTH } from './partition-world.ts'

const DAY_MS = 24 * 60 * 60_000

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('partitions', () => {
  if (!postgres) return

  it('begin in turn while hubs go on, and lists go through all of them', async () => {
    const { storage, clientId, paid, toDay, client, at } = await partitionWorld(postgres)
    await paid('FT-0')
    for (const day of [1, 2, 3]) {
      await toDay(day)
      for (const n of [1, 2]) await paid(`FT-${day}-${n}`)
    }
    const { rows } = await client.query('SELECT number FROM payments ORDER BY number')
    const offset = ({ number }: { number: number }) => Number(number) / WIDTH
    expect(rows.map(offset).map(Math.floor)).toEqual([0, 1, 1, 2, 2, 3, 3])

    const all = ['FT-3-2', 'FT-3-1', 'FT-2-2', 'FT-2-1', 'FT-1-2', 'FT-1-1', 'FT-0']
    for (const filter of [
      {},
      { clientId },
      { terminalID: 'T1' },
      { stage: 'played' as const },
      { minAmount: 1 },
    ]) {
      const page = await readPages((request) => storage.lists.payments.page(filter, request), { limit: 50 })
      expect(page.rows.map(({ payment }) => payment.ftCode)).toEqual(all)
    }
    const since = await readPages((request) => storage.lists.payments.page({ from: at(2) }, request), {
      limit: 50,
    })
    expect(since.rows.map(({ payment }) => payment.ftCode)).toEqual(all.slice(0, 4))
    const between = { clientId, from: at(1), until: at(3), leastStoreId: '', belowStoreId: '~' }
    let count = 0
    for (let after: string | undefined, isEnd = false; !isEnd; isEnd = after === undefined) {
      const sums = await storage.lists.payments.addUp(between, after)
      count += sums.sums.reduce((sum, one) => sum + one.count, 0)
      after = sums.next
    }
    expect(count).toBe(4)
  })

  it('are dropped when all of their payments are old, and what a repeat is known by stays', async () => {
    const { storage, shop, clientId, speaker, pay, paid, toDay, names, isKnown } =
      await partitionWorld(postgres)
    await toDay(1)
    const first = await pay('FT-1')
    await storage.outbox.recordAck({ ...first, reason: undefined, stage: 'played' }, Date.now())
    // More than a page.
    await Promise.all(Array.from({ length: 250 }, (_, n) => paid(`FT-1-${n}`)))
    await toDay(2)
    await paid('FT-2')
    await toDay(3)
    expect(await toDay(9)).toMatchObject({ payments: 0 })
    expect(await toDay(11)).toMatchObject({ payments: 251 })
    expect(await names()).not.toContain('payments_1')
    expect(await names()).not.toContain('announcements_1')
    expect([await isKnown('FT-1'), await isKnown('FT-2')]).toEqual([false, true])

    const again = (change: object) =>
      storage.payments.record(shop.payment(clientId, { ftCode: 'FT-1', ...change }))
    expect(await again({ contentHash: 'the same' })).toEqual({ kind: 'replayed', answer: first.answer })
    expect(await again({ contentHash: 'another' })).toEqual({ kind: 'conflict' })
    expect(await storage.stores.find(clientId, speaker.storeId)).toMatchObject({ totalTransaction: 252n })
    const audited = await storage.audit.list({ limit: 100 })
    expect(audited.flatMap(({ action, details }) => (action === 'payment.prune' ? [details] : []))).toEqual([
      { count: 251 },
    ])
  })

  it('leave what a speaker has still to play or to show, until it has', async () => {
    const { storage, shop, clientId, speaker, at, pay, paid, play, toDay, names, isKnown, client } =
      await partitionWorld(postgres)
    const revoked = await shop.speaker(clientId, 'T1')
    await toDay(1)
    const open = await pay('FT-open')
    await paid('FT-played')
    await pay('FT-missed')
    await storage.devices.revoke(OPERATOR, revoked.serial, at(1))
    await client.query('UPDATE announcements SET expires_at = $1 WHERE id = $2', [
      at(99),
      open.announcementId,
    ])
    await storage.outbox.expire(at(1) + DAY_MS / 2)
    await toDay(2)
    await paid('FT-2')
    await toDay(3)
    expect(await toDay(11)).toMatchObject({ payments: 1 })
    expect(await names()).not.toContain('payments_1')
    // Nothing of it is an event again.
    expect((await client.query('SELECT 1 FROM event_queue')).rows).toEqual([])
    expect(await Promise.all(['FT-open', 'FT-played', 'FT-missed'].map(isKnown))).toEqual([true, false, true])
    // A repeat has the first answer, as one that nothing was deleted of.
    expect(
      await shop.pay(clientId, { ftCode: 'FT-open', contentHash: 'the same', receivedAt: at(12) }),
    ).toEqual({
      kind: 'replayed',
      answer: open.answer,
    })

    await play(open)
    const missed = await storage.outbox.missed(speaker.deviceId)
    expect(missed).toMatchObject({ count: 1 })
    await storage.outbox.markMissedShown(speaker.deviceId, missed?.mark ?? { upTo: 0, except: [] }, at(12))
    expect(await toDay(13)).toMatchObject({ payments: 3 })
    expect(await Promise.all(['FT-open', 'FT-2', 'FT-missed'].map(isKnown))).toEqual([false, false, false])
    expect((await client.query('SELECT number FROM payments_0')).rows).toEqual([])
    expect(
      (await client.query('SELECT number FROM announcements WHERE number < $1', [3 * WIDTH])).rows,
    ).toEqual([])
  })

  it('of which speakers need many payments stay, and their other rows are deleted one by one', async () => {
    const { storage, speaker, at, pay, paid, toDay, names, isKnown, client } = await partitionWorld(postgres)
    await toDay(1)
    await Promise.all(Array.from({ length: 501 }, (_, n) => pay(`FT-missed-${n}`)))
    await storage.outbox.expire(at(2))
    await paid('FT-played')
    await toDay(2)
    await pay('FT-2')
    await storage.outbox.expire(at(3))
    await toDay(3)
    expect(await toDay(12)).toMatchObject({ payments: 1 })
    expect(await names()).toContain('payments_1')
    expect(await names()).not.toContain('payments_2')
    expect(await Promise.all(['FT-missed-0', 'FT-played', 'FT-2'].map(isKnown))).toEqual([true, false, true])

    for (let missed = await storage.outbox.missed(speaker.deviceId); missed; ) {
      await storage.outbox.markMissedShown(speaker.deviceId, missed.mark, at(12))
      missed = await storage.outbox.missed(speaker.deviceId)
    }
    await toDay(13)
    await toDay(14)
    expect(await names()).not.toContain('payments_1')
    expect((await client.query('SELECT 1 FROM payments')).rows).toEqual([])
    expect((await client.query('SELECT 1 FROM announcements')).rows).toEqual([])
    await pay('FT-14')
  })

  it('take the announcements of a payment with them that was recorded while the next one began', async () => {
    const { storage, speaker, at, pay, paid, toDay, client } = await partitionWorld(postgres)
    await toDay(1)
    const inBetween = async (ftCode: string) => {
      const paid = await pay(ftCode)
      await client.query('UPDATE announcements SET number = number + $1 WHERE id = $2', [
        WIDTH,
        paid.announcementId,
      ])
      return paid
    }
    const [played] = [await inBetween('FT-played'), await inBetween('FT-missed')]
    await client.query('UPDATE open_announcements SET number = number + $1', [WIDTH])
    await storage.outbox.recordAck({ ...played, reason: undefined, stage: 'played' }, at(1))
    await storage.outbox.expire(at(2))
    await toDay(2)
    await paid('FT-2')
    await toDay(3)
    const page = await storage.lists.payments.page({ stage: 'expired' }, { limit: 10 })
    expect(page.rows.map(({ payment }) => payment.ftCode)).toEqual(['FT-missed'])
    expect(await toDay(12)).toMatchObject({ payments: 2 })
    const { rows } = await client.query('SELECT stage FROM announcements ORDER BY number')
    expect(rows).toEqual([{ stage: 'expired' }])
    const missed = await storage.outbox.missed(speaker.deviceId)
    await storage.outbox.markMissedShown(speaker.deviceId, missed?.mark ?? { upTo: 0, except: [] }, at(12))
    await toDay(13)
    await toDay(14)
    expect((await client.query('SELECT 1 FROM announcements')).rows).toEqual([])
  })

  it('of events go before those of the payments that they show, with their deliveries', async () => {
    const { storage, clientId, at, paid, toDay, names, client } = await partitionWorld(postgres)
    await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, 'wh_1'), secretOf('one'))
    const seqs = async () =>
      (await storage.events.page(clientId, { after: 0, limit: 100 })).events.map(({ seq }) => seq)
    for (const day of [1, 2, 3, 4]) {
      await toDay(day)
      await paid(`FT-${day}`)
      while ((await storage.events.number(1_000)) > 0);
    }
    const all = await seqs()
    const deliveries = all.map((seq) => deliveryOf('wh_1', seq, { state: 'delivered' }))
    await storage.webhookQueue.store([progressOf('wh_1', { deliveries })], at(4))
    expect(await names()).toEqual(expect.arrayContaining(['events_1', 'events_2', 'events_3']))
    await storage.retention.prunePayments(at(12) - KEEP_MS, '', at(12))
    expect(await names()).toContain('payments_1')
    await toDay(4 + 8)
    const left = await seqs()
    expect(left.length).toBeLessThan(all.length)
    expect(all.slice(-left.length)).toEqual(left)
    const { deletedUpTo } = await storage.events.page(clientId, { after: 0, limit: 1 })
    expect(deletedUpTo).toBe(all.at(-left.length - 1))
    const { rows } = await client.query<{ seq: string }>('SELECT seq FROM deliveries ORDER BY seq')
    expect(rows.map(({ seq }) => Number(seq))).toEqual(left)
    // Each event that is left shows its payment.
    const { events } = await storage.events.page(clientId, { after: deletedUpTo, limit: 100 })
    expect(events.every(({ data }) => 'ftCode' in data)).toBe(true)
  })

  it('of which nobody has made the next one take what comes, and end later', async () => {
    const { storage, at, paid, toDay, setClock, names, client } = await partitionWorld(postgres)
    await toDay(1)
    const newest = async () =>
      Math.max(...(await names()).map((name) => Number(/^events_(\d+)/.exec(name)?.[1] ?? 0)))
    const before = await newest()
    // Nobody retains anything for a month.
    await setClock(30)
    await paid('FT-late')
    while ((await storage.events.number(1_000)) > 0);
    await toDay(30)
    expect(await newest()).toBe(before + 1)
    const { rows } = await client.query(
      `SELECT DISTINCT tableoid::regclass::text AS name FROM events WHERE seq > $1`,
      [at(29) * 1_000],
    )
    expect(rows).toEqual([{ name: `events_${before}` }])
  })

  it('are begun once by hubs that lead at once, and by the next one when a hub was killed in between', async () => {
    const { url, client, storage, at, paid, names } = await partitionWorld(postgres)
    await paid('FT-0')
    const other = await postgres.open(url)
    const prune = ({ retention }: Storage, day: number) =>
      retention.prunePayments(at(day) - KEEP_MS, '', at(day))
    await Promise.all([prune(storage, 1), prune(other, 1), prune(storage, 1), prune(other, 1)])
    expect(await names()).toEqual(
      expect.arrayContaining(['payments_0', 'payments_1', 'payments_2', 'announcements_2']),
    )
    expect(await names()).not.toContain('payments_3')
    await paid('FT-1')
    // The sequences rise before the commit, and stay there.
    await client.query(
      `SELECT setval('payments_number_seq', ${2 * WIDTH}, false), setval('announcements_number_seq', ${2 * WIDTH}, false)`,
    )
    await paid('FT-2')
    await prune(other, 2)
    await paid('FT-3')
    // An import sets them back.
    await client.query("SELECT setval('payments_number_seq', 9)")
    await prune(other, 2)
    const { rows: next } = await client.query('SELECT last_value AS number FROM payments_number_seq')
    expect(Number(next[0].number)).toBe(2 * WIDTH + 2)
    await paid('FT-4')
    const { rows } = await client.query<{ number: string }>('SELECT number FROM payments ORDER BY number')
    expect(rows.map(({ number }) => Number(number))).toEqual([
      expect.any(Number),
      WIDTH,
      2 * WIDTH,
      2 * WIDTH + 1,
      2 * WIDTH + 2,
    ])
  })

  it('wait for no act: what holds them is passed over until the next pass', async () => {
    const { url, at, paid, storage, toDay, names } = await partitionWorld(postgres)
    await toDay(1)
    await paid('FT-1')
    await toDay(2)
    await paid('FT-2')
    await toDay(3)
    const reader = await connected(url)
    await reader.query('BEGIN; SELECT 1 FROM payments LIMIT 1')
    await toDay(12)
    expect(await names()).toContain('payments_1')
    await paid('FT-3')
    await reader.query('COMMIT')
    await retain(storage, at(12), KEEP_MS)
    expect(await names()).not.toContain('payments_1')
    await until(
      'the payment is there',
      async () => (await storage.lists.payments.page({}, { limit: 5 })).rows.length > 0,
    )
  })
})
