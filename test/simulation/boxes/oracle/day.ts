import type { StoreDay } from '../../../../server/payments/lists/summarize-day.ts'
import type { Hub } from '../../hub/hub.ts'
import { Violation } from '../../kit/violation.ts'
import type { AnnouncementRow, FileReader } from '../../oracle/file.ts'
import type { Town } from '../../shop/town.ts'

/** What the day of a shop counts for a payment: the best that one of its speakers has. */
const BEST_FIRST: readonly [result: keyof StoreDay['results'], ...stages: AnnouncementRow['stage'][]][] = [
  ['played', 'played'],
  ['open', 'queued', 'sent', 'received'],
  ['delivered', 'delivered'],
  ['missed', 'expired'],
  ['failed', 'failed'],
  ['suppressed', 'suppressed'],
]

/** Each payment is counted once in the day of its shop, and under what became of it. */
export function checkDay(days: readonly StoreDay[], file: FileReader, rows: readonly AnnouncementRow[]) {
  for (const { storeId, storeName, count, results } of days) {
    const payments = file.payments().filter((payment) => payment.storeId === storeId)
    if (count !== payments.length)
      throw new Violation(
        'box: day',
        `the day of ${storeName} counts ${count} of ${payments.length} payments`,
      )
    const bests = payments.map(({ amount }) => {
      const all = rows.filter((row) => row.amount === amount)
      return BEST_FIRST.find(([, ...stages]) => all.some(({ stage }) => stages.includes(stage)))?.[0]
    })
    for (const [result] of BEST_FIRST) {
      const expected = bests.filter((best) => best === result).length
      const counted = results[result].count
      if (counted !== expected)
        throw new Violation(
          'box: day',
          `the day of ${storeName} counts ${counted} as ${result}, and has ${expected}`,
        )
    }
  }
}

/** The days of all shops, as the hub tells them to their partners. */
export async function readDays(hub: Hub | undefined, { partners }: Town): Promise<StoreDay[]> {
  const days: StoreDay[] = []
  for (const { clientId } of partners) {
    const day = { zone: 'Asia/Ho_Chi_Minh' }
    const found = await hub?.core.verbs.summarizeDay(clientId, day, { limit: 50 })
    days.push(...(found?.stores ?? []))
  }
  return days
}
