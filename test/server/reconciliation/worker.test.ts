import { expect, it } from 'vitest'
import { Unreadable } from '../../../server/reconciliation/model/statement.ts'
import { createMatchings } from '../../../server/reconciliation/worker/client.ts'
import { BAMBOO, type Movement } from '../../support/statements/banks.ts'

const AT = Date.parse('2026-11-20T03:15:30.000Z')
const movement = (n: number): Movement => ({
  ...{ at: AT + n * 1_000, amount: 1_000 + n, direction: 'credit', text: '' },
  reference: `FT${String(n).padStart(10, '0')}`,
})
const READING = { account: undefined, profile: BAMBOO.profile }

it('reads and matches in a thread, page by page, and says there why a file can not be read', async () => {
  const matchings = createMatchings()
  const matching = await matchings.inThread()
  const movements = Array.from({ length: 600 }, (_, n) => movement(n))
  const head = await matching.read(BAMBOO.write(movements, 0), READING)
  expect(head).toMatchObject({ rowCount: 600, from: '2026-11-20', opening: 0 })
  const payments = movements.map(({ at, amount, reference }) => ({
    ...{ id: `p ${reference}`, paidAt: at, amount, ftCode: reference, traceTransfer: '', billNumber: '' },
  }))
  await matching.addPayments(payments)
  await matching.addFile('s')
  const [{ summary } = { summary: undefined }] = await matching.run('Asia/Ho_Chi_Minh', [
    { id: 's', from: head.from, to: head.to },
  ])
  expect(summary?.days['2026-11-20']?.bank.matched.count).toBe(600)
  const found: unknown[] = []
  for (let skip = 0; ; ) {
    const page = await matching.outcomes(skip)
    if (page.length === 0) break
    expect(await matching.lines(skip)).toHaveLength(page.length)
    found.push(...page.map(({ paymentId }) => paymentId))
    skip += page.length
  }
  expect(found).toEqual(payments.map(({ id }) => id))
  await matching.end()
  const other = await matchings.inThread()
  const broken = await other.read(Buffer.from('Date\n'), READING).catch((error: unknown) => error)
  expect(broken).toBeInstanceOf(Unreadable)
  await other.end()
})

it('gives the places of its threads back', async () => {
  const matchings = createMatchings()
  for (let turn = 0; turn < 3; turn += 1) {
    const both = await Promise.all([matchings.inThread(), matchings.inThread()])
    for (const one of both) await one.end()
  }
})

it('matches many stored rows in a thread as it matches few here', async () => {
  const run = async (count: number) => {
    const matching = createMatchings().stored()
    for (let n = 0; n < count; n += 200)
      await matching.addPayments(
        Array.from({ length: 200 }, (_, at) => ({
          ...{
            id: `p${n + at}`,
            paidAt: AT,
            amount: 1,
            ftCode: `FT${n + at}`,
            traceTransfer: '',
            billNumber: '',
          },
        })),
      )
    const [result] = await matching.run('Asia/Ho_Chi_Minh', [
      { id: 's', from: '2026-11-20', to: '2026-11-20' },
    ])
    await matching.end()
    return result?.summary.days['2026-11-20']?.hub.hub_only.count
  }
  expect([await run(200), await run(1_400)]).toEqual([200, 1_400])
})
