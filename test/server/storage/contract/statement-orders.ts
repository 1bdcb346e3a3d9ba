import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BUCKETS } from '../../../../server/reconciliation/model/statement.ts'
import { BAMBOO, cedar, LOTUS, type Movement } from '../../../support/statements/banks.ts'
import { AT } from '../shop.ts'
import { ACCOUNT, statementWorld, ZONE } from '../statement-world.ts'
import type { OpenStorage } from '../storage-contract.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const DAYS = [0, 1, 2]
const timeOf = (one: { day: number; minute: number }) => AT + one.day * DAY_MS + one.minute * MINUTE_MS

const few = <T>(...values: T[]) => fc.constantFrom(...values)
const anyTime = { day: few(...DAYS), minute: few(0, 3) }
/** Bamboo finds codes by this length. */
const [CODE, OTHER, THIRD, UNPAID] = ['FT2632400001', 'FT2632400002', 'FT2632400003', 'FT2632400009']
const anyMovement = fc
  .record({
    ...{ ...anyTime, amount: few(50_000, 20_000), reference: few('', CODE, OTHER, THIRD) },
    ...{ text: few('', 'HD1', 'HD2'), isDebit: few(false, false, false, true) },
    ...{ isReversal: few(false, true), isInBatch: fc.boolean() },
  })
  .map(({ amount, reference, text, isDebit, isReversal, isInBatch, ...time }): Movement => {
    // A code is of one transaction, which has one time.
    const at = timeOf(reference === '' ? time : { ...time, minute: 0 })
    const direction = isDebit ? 'debit' : 'credit'
    const kind = { direction, isReversal: isDebit && isReversal } as const
    // What a bank says of an entry it says of the whole batch.
    return {
      ...{ amount, reference, text, at },
      ...kind,
      ...(isInBatch && { batch: JSON.stringify([at, kind]) }),
    }
  })
const withoutBatch = ({ batch: _, ...one }: Movement): Movement => one
/** Some without a code come again three minutes later. */
const anyMovements = fc
  .tuple(anyMovement, fc.boolean())
  .map(([one, isTwice]) =>
    isTwice && one.reference === '' ? [one, { ...withoutBatch(one), at: one.at + 3 * MINUTE_MS }] : [one],
  )
const anyPayment = fc.record({
  ...{ ...anyTime, amount: few('50000', '20000'), ftCode: few('', CODE, OTHER, UNPAID) },
  billNumber: few('', 'HD1', 'HD2'),
})

/** Files that begin and end between days, or within one. They may overlap. */
const HALVES = 2 * DAYS.length
const anySpan = fc.record({ from: fc.nat(HALVES - 1), halves: fc.integer({ min: 1, max: HALVES }) })
function filesOf(movements: readonly Movement[], spans: readonly { from: number; halves: number }[]) {
  const all = movements.toSorted((one, other) => one.at - other.at)
  const half = ({ at }: Movement) => Math.floor((at - AT) / DAY_MS) * 2 + Number((at - AT) % DAY_MS > 0)
  return spans
    .map(({ from, halves }) => all.filter((one) => half(one) >= from && half(one) < from + halves))
    .filter((part) => part.length > 0)
}

/** Each row is in one bucket, buckets add up on both sides, and no payment is used twice: whatever comes first. */
export function statementOrderContract(open: OpenStorage) {
  it('tells two alike of one day apart by their times, also when each is in a statement of its own', async () => {
    const { verbs, importAs, rowsOf, pay } = await statementWorld(open)
    const one: Movement = { at: AT, amount: 20_000, direction: 'credit', reference: '', text: '' }
    const later = { ...one, at: AT + 30 * MINUTE_MS }
    const paid = await pay({ ftCode: '', amount: '20000', paidAt: later.at })
    const morning = await importAs(BAMBOO, [one])
    const noon = await importAs(BAMBOO, [later], 20_000)
    expect((await rowsOf(noon))[0]).toMatchObject({ bucket: 'undecided', proposedId: paid })
    // A bank that gives dates only has both.
    const day = await importAs(LOTUS, [one, later, later])
    const repeated = (await rowsOf(day)).flatMap(({ otherRow }) => otherRow ?? [])
    expect(repeated.toSorted()).toEqual([morning, noon].map((id) => `${id}/000001`).toSorted())
    expect((await verbs.showStatement(undefined, day)).sums.bank.repeated.count).toBe(2)
  })

  it.each([LOTUS, BAMBOO, cedar(ACCOUNT)])(
    'finds the same in whatever order statements of $name and callbacks come',
    async (bank) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyMovements, { minLength: 1, maxLength: 6 }),
          fc.array(anySpan, { minLength: 2, maxLength: 4 }),
          fc.uniqueArray(anyPayment, { maxLength: 6, selector: (one) => one.ftCode || one }),
          fc.infiniteStream(fc.nat()),
          async (moved, spans, payments, keys) => {
            const movements = moved.flat()
            const foundIn = async (keyOf: (n: number) => number) => {
              const world = await statementWorld(open)
              const acts = [
                ...filesOf(movements, spans).map((part, n) => () => world.importAs(bank, part, n)),
                ...payments.map(
                  ({ day, minute, ...change }) =>
                    () =>
                      world.pay({ ...change, paidAt: timeOf({ day, minute }) }),
                ),
              ]
              const ordered = acts
                .map((act, n) => ({ act, key: keyOf(n) }))
                .toSorted((one, other) => one.key - other.key)
              for (const { act } of ordered) await act()
              return { rows: await outcomesOf(world), days: await daysOf(world) }
            }
            const found = await foundIn((n) => n)
            expect(await foundIn(() => keys.next().value)).toEqual(found)
          },
        ),
        { numRuns: 8 },
      )
    },
  )
}

type World = Awaited<ReturnType<typeof statementWorld>>

/** What each day adds up to, over all statements. */
function daysOf({ verbs, clientId }: World) {
  return Promise.all(
    DAYS.map(async (day) => {
      const date = new Date(AT + day * DAY_MS).toISOString().slice(0, 10)
      const { accounts } = await verbs.dayOf(clientId, { date, zone: ZONE, account: ACCOUNT })
      return accounts.map(({ sums, unbalanced }) => ({ date, sums, unbalanced }))
    }),
  )
}

/** What is matched with what, whichever file has the row, and what each statement adds up to. */
async function outcomesOf({ verbs, rowsOf, clientId, storage }: World) {
  const { rows: listed } = await verbs.listStatements(clientId, { limit: 50 })
  const payments = (await storage.lists.payments.page({ clientId }, { limit: 100 })).rows
  const nameOf = (id: string | undefined) => {
    const payment = payments.find((one) => one.payment.id === id)?.payment
    return payment && [payment.ftCode, payment.billNumber, payment.amount, payment.paidAt].join(' ')
  }
  const used: string[] = []
  const found: string[] = []
  for (const { statement } of listed) {
    const rows = await rowsOf(statement.id)
    const { sums } = await verbs.showStatement(clientId, statement.id)
    expect(rows).toHaveLength(statement.rowCount)
    for (const bucket of BUCKETS) {
      const own = rows.filter((row) => row.bucket === bucket)
      const of = (direction: string) =>
        own.filter((row) => row.direction === direction).reduce((all, row) => all + row.amount, 0)
      expect(sums.bank[bucket]).toEqual({
        count: own.length,
        credit: String(of('credit')),
        debit: String(of('debit')),
      })
    }
    const ofPeriod = payments.filter(
      ({ payment: { paidAt } }) => paidAt >= statement.fromAt && paidAt < statement.untilAt,
    )
    const hub = Object.values(sums.hub)
    expect(hub.reduce((all, { count }) => all + count, 0)).toBe(ofPeriod.length)
    expect(hub.reduce((all, { amount }) => all + BigInt(amount), 0n)).toBe(
      ofPeriod.reduce((all, { payment }) => all + BigInt(payment.amount), 0n),
    )
    used.push(...rows.flatMap(({ paymentId }) => paymentId ?? []))
    found.push(
      ...rows
        .filter(({ bucket }) => bucket !== 'repeated')
        .map((row) =>
          JSON.stringify([
            row.date,
            row.at,
            row.amount,
            row.direction,
            row.references,
            row.bucket,
            row.rule,
            nameOf(row.paymentId),
            nameOf(row.proposedId),
          ]),
        ),
    )
  }
  expect(new Set(used).size).toBe(used.length)
  return found.toSorted()
}
