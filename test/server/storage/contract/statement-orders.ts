import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BUCKETS } from '../../../../server/reconciliation/model/statement.ts'
import { cedar, type Movement } from '../../../support/statements/banks.ts'
import { AT } from '../shop.ts'
import { ACCOUNT, statementWorld } from '../statement-world.ts'
import type { OpenStorage } from '../storage-contract.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const CEDAR = cedar(ACCOUNT)

/** Each row is in one bucket, buckets add up on both sides, and no payment is used twice: whatever comes first. */
export function statementOrderContract(open: OpenStorage) {
  it('finds the same in whatever order statements and callbacks come', async () => {
    const few = <T>(...values: T[]) => fc.constantFrom(...values)
    const day = few(0, 1, 2)
    const movement = fc.record({
      ...{ day, minute: few(0, 3), amount: few(50_000, 20_000), reference: few('', 'FT1', 'FT2', 'FT3') },
      ...{ text: few('', 'HD1', 'HD2'), isDebit: few(false, false, false, true) },
    })
    const paid = fc.record({
      ...{ day, minute: few(0, 3), amount: few('50000', '20000'), ftCode: few('', 'FT1', 'FT2', 'FT9') },
      billNumber: few('', 'HD1', 'HD2'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(movement, { minLength: 1, maxLength: 6 }),
        fc.uniqueArray(paid, { maxLength: 6, selector: (one) => one.ftCode || one }),
        fc.nat(),
        async (moved, payments, order) => {
          const times = (one: { day: number; minute: number }) =>
            AT + one.day * DAY_MS + one.minute * MINUTE_MS
          const all = moved
            .map(
              ({ amount, reference, text, isDebit, ...time }): Movement => ({
                ...{ amount, reference, text, at: times(time) },
                direction: isDebit ? 'debit' : 'credit',
              }),
            )
            .toSorted((one, other) => one.at - other.at)
          // Three files of two days each, which overlap, and one of all.
          const parts = [0, 1, 2].map((first) =>
            all.filter(({ at }) => at >= AT + first * DAY_MS && at < AT + (first + 2) * DAY_MS),
          )
          const files = [...parts, all].filter((part) => part.length > 0)
          const run = async (turn: number) => {
            const world = await statementWorld(open)
            const acts = [
              ...files.map((part, n) => () => world.importAs(CEDAR, part, n)),
              ...payments.map(
                ({ day: d, minute, ...change }) =>
                  () =>
                    world.pay({ ...change, paidAt: times({ day: d, minute }) }),
              ),
            ]
            const before =
              turn === 0
                ? acts
                : acts
                    .map((act, n) => ({ act, key: (n * 7 + turn * 13) % 11 }))
                    .toSorted((a, b) => a.key - b.key)
                    .map(({ act }) => act)
            const ids: string[] = []
            for (const act of before) ids.push(await act())
            return { world, found: await outcomesOf(world) }
          }
          const one = await run(0)
          const other = await run(1 + (order % 50))
          expect(other.found).toEqual(one.found)
        },
      ),
      { numRuns: 12 },
    )
  }, 60_000)
}

/** What is matched with what, whichever file has the row, and what each statement adds up to. */
async function outcomesOf({ verbs, rowsOf, clientId, storage }: Awaited<ReturnType<typeof statementWorld>>) {
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
