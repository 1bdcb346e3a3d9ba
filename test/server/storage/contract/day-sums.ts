import fc from 'fast-check'
import { expect, it } from 'vitest'
import { QUARTER_MS } from '../../../../server/payments/day-sum.ts'
import { readDaySums } from '../../../../server/payments/lists/day-sums.ts'
import { dateIn } from '../../../../server/platform/time/zone-day.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const ZONE = 'Asia/Ho_Chi_Minh'
const DATE = dateIn(ZONE)(AT)
const HOUR_MS = 60 * 60_000
/** More than what the sums wait for. */
const LATER_MS = 60_000

const read = (storage: Storage, clientIds: readonly string[], date = DATE, zone = ZONE) =>
  readDaySums(
    storage.lists.payments,
    (one) => one(),
    { date, zone, clientIds },
    async ({ totals, stores }) => {
      const pages = new Map<string, Awaited<ReturnType<typeof stores>>['rows']>()
      for (const clientId of clientIds) {
        const rows: Awaited<ReturnType<typeof stores>>['rows'] = []
        let below: number | undefined
        do {
          const page = await stores(clientId, below, 2)
          rows.push(...page.rows)
          below = page.next
        } while (below !== undefined)
        pages.set(clientId, rows)
      }
      return { totals, pages }
    },
  )

/** Adds up all that may be added up at an instant. */
async function sumUpAll({ payments }: Storage, at: number) {
  while (await payments.sumUp(at));
}

/** The same by a look at each payment. */
async function recount({ lists }: Storage, clientId: string, date = DATE, zone = ZONE) {
  const dateAt = dateIn(zone)
  const { rows } = await lists.payments.page({ clientId }, { limit: 10_000 })
  const of = new Map<string, { count: number; amount: bigint; played: number; missed: number }>()
  for (const { payment, announcements } of rows) {
    if (dateAt(payment.receivedAt) !== date) continue
    const stages = announcements.map(({ stage }) => stage)
    const sum = of.get(payment.terminalID) ?? { count: 0, amount: 0n, played: 0, missed: 0 }
    of.set(payment.terminalID, sum)
    sum.count += 1
    sum.amount += BigInt(payment.amount)
    if (stages.includes('played')) sum.played += 1
    else if (stages.includes('expired')) sum.missed += 1
  }
  return of
}

/** A payment, or time that goes by: of a payment its till, its amount, when it came, and what its speaker does. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('pay' as const),
    till: fc.nat(4),
    amount: fc.integer({ min: 1_000, max: 9_999_999_999_999 }),
    // Also of the days before and after, and in another order than they come in.
    hours: fc.integer({ min: -30, max: 30 }),
    plays: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('sum' as const), minutes: fc.integer({ min: -60, max: 40 * 60 }) }),
  fc.record({ kind: fc.constant('expire' as const), minutes: fc.integer({ min: 0, max: 40 * 60 }) }),
)

export function daySumContract(open: OpenStorage) {
  it('are those of a recount, whatever was added up and when', async () => {
    const { storage } = await open()
    let partners = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        partners += 1
        const shop = createShop(storage)
        const clientId = await shop.partner(`sbc_${partners}`)
        const speakers = []
        for (let till = 0; till < 5; till += 1) speakers.push(await shop.speaker(clientId, `T${till}`))
        let n = 0
        for (const one of steps)
          if (one.kind === 'sum') await storage.payments.sumUp(AT + one.minutes * 60_000)
          else if (one.kind === 'expire') await storage.outbox.expire(AT + one.minutes * 60_000)
          else {
            n += 1
            const receivedAt = AT + one.hours * HOUR_MS
            const result = await shop.pay(clientId, {
              ...{ id: shop.ids.uuid(), terminalID: `T${one.till}`, amount: String(one.amount) },
              ...{ receivedAt, ftCode: `FT${n}`, dedupeKey: `key ${n}` },
            })
            const [said] = result.kind === 'recorded' ? result.announcements : []
            if (one.plays && said)
              await storage.outbox.recordAck(
                {
                  announcementId: said.id,
                  commandNumber: said.n,
                  deviceId: said.deviceId,
                  stage: 'played',
                  reason: undefined,
                },
                receivedAt + 3_000,
              )
          }
        for (const [zone, date] of [
          [ZONE, DATE],
          ['Asia/Kathmandu', dateIn('Asia/Kathmandu')(AT - 24 * HOUR_MS)],
        ] as const) {
          const found = await read(storage, [clientId], date, zone)
          const expected = await recount(storage, clientId, date, zone)
          const amount = [...expected.values()].reduce((sum, one) => sum + one.amount, 0n)
          const count = [...expected.values()].reduce((sum, one) => sum + one.count, 0)
          const total = found?.totals.get(clientId)
          expect([total?.count ?? 0, total?.amount ?? 0n]).toEqual([count, amount])
          const rows = (found?.pages.get(clientId) ?? []).map((row) => [
            row.count,
            row.amount,
            row.played,
            row.missed,
          ])
          const byStore = await Promise.all(
            speakers.map(
              async ({ storeId }) => (await storage.stores.find(clientId, storeId))?.terminalID ?? '',
            ),
          )
          const wanted = byStore.toReversed().flatMap((terminalID) => expected.get(terminalID) ?? [])
          expect(rows).toEqual(wanted.map((one) => [one.count, one.amount, one.played, one.missed]))
        }
      }),
      { numRuns: 12 },
    )
  })

  it('take what a speaker may still say when it is over, and each payment once', async () => {
    const { storage, reopen } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner('sbc_1')
    await shop.speaker(clientId, 'T1')
    await shop.pay(clientId, { ftCode: 'FT1', amount: '1000' })
    const look = async (of = storage) => {
      const found = await read(of, [clientId])
      const { count, amount, open: still, missed } = found?.totals.get(clientId) ?? {}
      return { count, amount, open: still, missed }
    }
    const waits = { count: 1, amount: 1_000n, open: 1, missed: 0 }
    expect(await look()).toEqual(waits)
    await sumUpAll(storage, AT + LATER_MS)
    expect(await storage.lists.payments.sumState()).toMatchObject({ upTo: 1 })
    expect(await look()).toEqual(waits)
    await storage.outbox.expire(AT + 10 * LATER_MS)
    expect(await look()).toEqual({ ...waits, open: 0, missed: 1 })
    for (const _ of ['once', 'again']) await sumUpAll(storage, AT + 10 * LATER_MS)
    expect(await look(await reopen())).toEqual({ ...waits, open: 0, missed: 1 })
  })

  it('are deleted when no payment of their time is kept', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const clientId = await shop.partner('sbc_1')
    const { serial } = await shop.speaker(clientId, 'T1')
    // What a locked speaker does not say, no speaker still needs.
    await storage.devices.setActive(OPERATOR, serial, false, AT)
    const later = AT + 3 * 24 * HOUR_MS
    for (const receivedAt of [AT, later]) await shop.pay(clientId, { receivedAt })
    await sumUpAll(storage, later + HOUR_MS)
    const all = () =>
      storage.lists.payments.summed({
        ...{ clientId, least: 0, below: 1 },
        ...{ from: AT - 4 * QUARTER_MS, until: later + 4 * QUARTER_MS },
      })
    expect(await all()).toMatchObject([{ suppressed: 1 }, { suppressed: 1 }])
    await storage.retention.prunePayments(AT + HOUR_MS, '', later)
    await sumUpAll(storage, later + HOUR_MS)
    expect(await all()).toHaveLength(1)
  })
}
