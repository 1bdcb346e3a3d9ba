import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ANNOUNCEMENT_FRESH_MS, type Announcement } from '../../../../../server/announcements/announcement.ts'
import type { Owner } from '../../../../../server/announcements/ports.ts'
import type { Payment } from '../../../../../server/payments/payment.ts'
import { byPartner } from '../../../../../server/security/actor.ts'
import { AT, bornWith, createShop } from '../../../../server/storage/shop.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { randomFrom } from '../../../../support/random.ts'
import { SEED } from '../../../../support/seed.ts'

const postgres = await startTestPostgres()
const HUBS = 3
const TILLS = 5
const SPEAKERS_PER_TILL = 2
const ACTS = 2_000
/** Acts under way at a time. */
const AT_ONCE = 100
const SESSIONS = ['a', 'b', 'c'].map((letter) => letter.repeat(16))

describe.skipIf(!postgres)('several hubs on one database', () => {
  if (!postgres) return

  it('give no number twice and record each payment once, whatever they do at once', async () => {
    const url = await postgres.database()
    const hubs = await Promise.all(Array.from({ length: HUBS }, () => postgres.open(url)))
    const random = randomFrom(SEED)
    const below = (count: number) => Math.floor(random() * count)
    function oneOf<T>(all: readonly T[]): T {
      const one = all[below(all.length)]
      if (one === undefined) throw new Error('there is none')
      return one
    }

    const shop = createShop(oneOf(hubs))
    const clientId = await shop.partner()
    const speakers: { deviceId: string; serial: string; storeId: string; terminalID: string }[] = []
    for (let index = 0; index < TILLS * SPEAKERS_PER_TILL; index += 1) {
      const terminalID = `T${index % TILLS}`
      speakers.push({ ...(await shop.speaker(clientId, terminalID)), terminalID })
    }

    /** All numbers that were given, by device. */
    const given = new Map<string, number[]>()
    const give = (deviceId: string, ...numbers: number[]) =>
      given.set(deviceId, [...(given.get(deviceId) ?? []), ...numbers])
    const payments: Payment[] = []
    const announcements: Announcement[] = []
    const recorded = new Map<string, number>()
    const owner = (): Owner => ({ deviceId: oneOf(speakers).deviceId, sessionId: oneOf(SESSIONS) })

    async function pay() {
      const { terminalID } = oneOf(speakers)
      const isRepeat = payments.length > 0 && random() < 0.2
      const billNumber = random() < 0.3 ? `B${below(3)}` : ''
      const payment = isRepeat ? oneOf(payments) : shop.payment(clientId, { terminalID, billNumber })
      payments.push(payment)
      const free = speakers.map(({ deviceId }) => {
        const knownNumber = Math.max(0, ...(given.get(deviceId) ?? []))
        return { deviceId, sessionId: oneOf(SESSIONS), knownNumber }
      })
      const result = await oneOf(hubs).payments.record({ ...payment, id: shop.ids.uuid() }, free)
      if (result.kind === 'replayed') return
      expect(result.kind).toBe('recorded')
      recorded.set(payment.ftCode, (recorded.get(payment.ftCode) ?? 0) + 1)
      if (result.kind !== 'recorded') return
      announcements.push(...result.announcements)
      for (const { deviceId, n } of result.announcements) give(deviceId, n)
    }

    async function ack() {
      if (announcements.length === 0) return
      const { id, n, deviceId } = oneOf(announcements)
      const stage = oneOf(['received', 'played', 'failed', 'expired'] as const)
      const judgedBy = random() < 0.3 ? { judgedBy: oneOf(SESSIONS) } : {}
      const step = { announcementId: id, commandNumber: n, deviceId, stage, reason: undefined, ...judgedBy }
      await oneOf(hubs).outbox.recordAck(step, AT + 1)
    }

    async function begin() {
      const one = owner()
      const at = oneOf([AT + 1, AT + ANNOUNCEMENT_FRESH_MS])
      const played = oneOf([0, Math.max(0, ...(given.get(one.deviceId) ?? []))])
      const languages = [oneOf(['vi', 'en'] as const)]
      const start = await oneOf(hubs).outbox.begin(one, at, { born: bornWith({ played, languages }) })
      give(one.deviceId, ...(start?.numbers ?? []))
    }

    async function next() {
      const one = owner()
      const number = await oneOf(hubs).outbox.nextNumber(one)
      if (number !== undefined) give(one.deviceId, number)
    }

    async function show() {
      const { outbox } = oneOf(hubs)
      const { deviceId } = oneOf(speakers)
      const missed = await outbox.missed(deviceId)
      if (missed) await outbox.markMissedShown(deviceId, missed.mark, AT)
    }

    async function setActive() {
      const { serial } = oneOf(speakers)
      for (const isActive of [false, true])
        await oneOf(hubs).devices.setActive(byPartner(clientId), serial, isActive, AT + 1)
    }

    async function put() {
      const bill = shop.bill(oneOf(speakers).storeId, { billNumber: `B${below(3)}` })
      await oneOf(hubs).bills.put(clientId, bill, AT)
    }

    const acts = [
      ...Array(8).fill(pay),
      ...Array(4).fill(ack),
      ...[begin, next, show, setActive, put],
      () => oneOf(hubs).outbox.take(owner(), AT + 1, { after: 0, isFree: true }),
      () => announcements.length > 0 && oneOf(hubs).outbox.markSent(oneOf(announcements).id, owner(), AT + 1),
      () => oneOf(hubs).outbox.leave([owner()]),
      () => oneOf(hubs).outbox.expire(AT + ANNOUNCEMENT_FRESH_MS),
      () =>
        oneOf(hubs).stores.update(
          byPartner(clientId),
          oneOf(speakers).storeId,
          { bankName: `${random()}` },
          AT,
        ),
    ]
    let left = ACTS
    async function go() {
      for (; left > 0; left -= 1) await oneOf(acts)()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, go))

    for (const numbers of given.values()) expect(new Set(numbers).size).toBe(numbers.length)
    expect(new Set(recorded.values())).toEqual(new Set([1]))
    expect(recorded.size).toBe(new Set(payments.map(({ ftCode }) => ftCode)).size)
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const one = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows[0]
    expect(await one('SELECT count(*)::int FROM payments')).toEqual([recorded.size])
    const totals = 'SELECT sum(total_transaction)::int, sum(total_amount)::int FROM store_totals'
    expect(await one(totals)).toEqual([recorded.size, recorded.size * 50_000])
    const keys = 'SELECT count(*)::int FROM payment_keys JOIN payments ON number = payment_number'
    expect(await one(keys)).toEqual([recorded.size])
  })
})
