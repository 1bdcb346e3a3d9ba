import { expect, it } from 'vitest'
import type { PaymentFilter } from '../../../../server/payments/ports.ts'
import { readPages } from '../../../../server/platform/page.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { AT, payWell } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { town } from './lists.ts'

export function searchContract(open: OpenStorage) {
  it('finds payments by each filter of a search, also far back and behind digests', async () => {
    const { shop, mine, foreign, one, two, lists, storage } = await town(await open())
    // More than two digests of 512 payments.
    const count = 1_100
    for (let from = 0; from < count; from += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => {
          const n = from + index
          return payWell(shop, n % 3 === 0 ? foreign : mine, {
            ...{ ftCode: `FT${n}`, receivedAt: AT + n, amount: String(1_000 + n) },
            ...(n === 7 && { traceTransfer: 'RARE', billNumber: 'B7', bankCode: 'VCB', terminalID: 'T2' }),
          })
        }),
      )
    const found = async (filter: PaymentFilter, limit = 40) => {
      const all: string[] = []
      let after: string | undefined
      do {
        const page = await readPages((asked) => lists.payments.page(filter, asked), { limit, after })
        all.push(...page.rows.map(({ payment }) => payment.ftCode))
        after = page.next
      } while (after !== undefined)
      return all
    }
    const [seven] = (
      await readPages((page) => lists.payments.page({ traceTransfer: 'RARE' }, page), { limit: 1 })
    ).rows
    expect(seven?.payment.ftCode).toBe('FT7')
    const only: PaymentFilter[] = [
      ...[{ traceTransfer: 'RARE' }, { billNumber: 'B7' }, { bankCode: 'VCB' }, { storeId: two.storeId }],
      ...[{ terminalID: 'T2' }, { id: seven?.payment.id }, { ftCode: 'FT7' }],
      ...[
        { minAmount: 1_007, maxAmount: 1_007 },
        { traceTransfer: 'RARE', minAmount: 1_000 },
      ],
    ]
    for (const filter of only) {
      expect([filter, await found({ ...filter, clientId: mine })]).toEqual([filter, ['FT7']])
      expect(await found({ ...filter, clientId: foreign })).toEqual([])
    }
    // Amounts rise, so the ends of a digest have its least and its largest amount.
    for (let n = 505; n < 520; n += 1)
      expect(await found({ minAmount: 1_000 + n, maxAmount: 1_000 + n })).toEqual([`FT${n}`])
    expect(await found({ clientId: mine, outcome: 'bill_paid' })).toEqual([])
    expect(await found({ clientId: mine, stage: 'expired' })).toEqual([])
    const { announcements } = seven ?? {}
    expect(announcements).toMatchObject([{ stage: 'queued' }])
    await storage.devices.setActive(byPartner(mine), one.serial, false, AT)
    const suppressed = await found({ clientId: mine, stage: 'suppressed' })
    const ofOne = (await found({ clientId: mine })).filter((code) => code !== 'FT7')
    expect(suppressed).toEqual(ofOne)
    expect(ofOne).toHaveLength(732)
    expect(await found({ clientId: mine, stage: 'queued' })).toEqual(['FT7'])
    expect((await found({ clientId: mine, outcome: 'static_qr' }, 7)).length).toBe(733)

    const sums = new Map<string, { count: number; amount: bigint; stages: string[] }>()
    let after: string | undefined
    const filter = { clientId: mine, from: AT, until: AT + count, leastStoreId: '', belowStoreId: '~' }
    do {
      const added = await lists.payments.addUp(filter, after)
      for (const { storeId, stages, ...sum } of added.sums) {
        const so = sums.get(storeId) ?? { count: 0, amount: 0n }
        sums.set(storeId, { count: so.count + sum.count, amount: so.amount + sum.amount, stages })
      }
      after = added.next
    } while (after !== undefined)
    // Those of the other partner are in none.
    expect([...sums.keys()].sort()).toEqual([one.storeId, two.storeId].sort())
    expect(sums.get(two.storeId)).toEqual({ count: 1, amount: 1_007n, stages: ['queued'] })
    expect(sums.get(one.storeId)).toMatchObject({ count: 732, stages: ['suppressed'] })
  })

  it('adds up the payments of a time and of a range of stores', async () => {
    const { shop, mine, one, two, lists } = await town(await open())
    for (const terminalID of ['T1', 'T2'])
      for (const at of [0, 1, 2, 3]) await payWell(shop, mine, { terminalID, receivedAt: AT + at })
    const [low = '', high = ''] = [one.storeId, two.storeId].sort()
    const counts = async (change: Partial<Parameters<typeof lists.payments.addUp>[0]>) => {
      const all = { clientId: mine, from: AT, until: AT + 9, leastStoreId: '', belowStoreId: '~', ...change }
      const { sums } = await lists.payments.addUp(all, undefined)
      return Object.fromEntries(sums.map(({ storeId, count }) => [storeId, count]))
    }
    expect(await counts({})).toEqual({ [low]: 4, [high]: 4 })
    expect(await counts({ from: AT + 1, until: AT + 3 })).toEqual({ [low]: 2, [high]: 2 })
    expect(await counts({ leastStoreId: low, belowStoreId: high })).toEqual({ [low]: 4 })
    expect(await counts({ leastStoreId: high })).toEqual({ [high]: 4 })
  })
}
