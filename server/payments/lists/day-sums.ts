import { zoneDay } from '../../platform/time/zone-day.ts'
import { addSums, NO_PAYMENTS, QUARTER_MS, type ResultSum } from '../day-sum.ts'
import type { PaymentLists, StoreSum } from '../ports.ts'

/** The time of which one read has the sums of shops: some milliseconds. */
const AT_ONCE_MS = 24 * QUARTER_MS
/** Reads of payments that are not in the sums yet: beyond, the sums are still being made. */
const MOST_TAIL = 200
/** The sums change every few seconds, and at 500 payments a second so often that one attempt in ten is in vain. */
const ATTEMPTS = 12

type Lists = Pick<PaymentLists, 'sumState' | 'summed' | 'unsummed'>
/** Carries out one read of a millisecond or some. */
type InSlice = <T>(read: () => Promise<T>) => Promise<T>

/** A day of payments by shop. */
export interface DaySums {
  /** By partner. One without payments is left out. */
  totals: ReadonlyMap<string, ResultSum>
  /** Shops of the partner below a number, the highest first. */
  stores: (clientId: string, below: number | undefined, limit: number) => Promise<DayStores>
}

export interface DayStores {
  rows: StoreSum[]
  /** Below which the next page begins. Undefined at the end. */
  next: number | undefined
}

/**
 * Reads the sums of a day in a zone: those that are kept, and the payments since, each counted once. `use` gets them, and
 * what it returns is good: it is called again when the sums have changed meanwhile. Undefined: the sums of older payments are
 * still being made.
 */
export async function readDaySums<T>(
  lists: Lists,
  inSlice: InSlice,
  { date, zone, clientIds }: { date: string; zone: string; clientIds: readonly string[] },
  use: (sums: DaySums) => Promise<T>,
): Promise<T | undefined> {
  const day = zoneDay(date, zone)
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { revision, upTo } = await lists.sumState()
    const tail = await readTail(lists, inSlice, { ...day, upTo })
    if (!tail) return undefined
    const totals = new Map<string, ResultSum>()
    for (const clientId of clientIds) {
      const kept = await inSlice(() => lists.summed({ ...day, clientId, least: 0, below: 1 }))
      const all = [...kept, ...tail.filter((one) => one.clientId === clientId)]
      const total = all.reduce<ResultSum>(addSums, NO_PAYMENTS)
      if (total.count > 0) totals.set(clientId, total)
    }
    const used = await use({
      totals,
      async stores(clientId, below = Number.MAX_SAFE_INTEGER, limit) {
        const sums: StoreSum[] = tail.filter((one) => one.clientId === clientId && one.storeNumber < below)
        for (let from = day.from; from < day.until; from += AT_ONCE_MS) {
          const until = Math.min(day.until, from + AT_ONCE_MS)
          // As many higher ones are known already.
          const least = numbersOf(sums)[limit] ?? 1
          sums.push(...(await inSlice(() => lists.summed({ from, until, clientId, least, below }))))
        }
        return pageOf(sums, limit)
      },
    })
    if ((await lists.sumState()).revision === revision) return used
  }
  return undefined
}

async function readTail(
  lists: Lists,
  inSlice: InSlice,
  range: { from: number; until: number; upTo: number },
): Promise<(StoreSum & { clientId: string })[] | undefined> {
  const found: (StoreSum & { clientId: string })[] = []
  let after: string | undefined
  for (let read = 0; read < MOST_TAIL; read += 1) {
    const page = await inSlice(() => lists.unsummed(range, after))
    found.push(...page.sums)
    if (page.next === undefined) return found
    after = page.next
  }
  return undefined
}

/** Each once, the highest first. */
const numbersOf = (sums: readonly StoreSum[]) =>
  [...new Set(sums.map(({ storeNumber }) => storeNumber))].sort((one, other) => other - one)

function pageOf(sums: readonly StoreSum[], limit: number): DayStores {
  const byStore = new Map<number, ResultSum>()
  for (const { storeNumber, ...sum } of sums)
    byStore.set(storeNumber, addSums(byStore.get(storeNumber) ?? NO_PAYMENTS, { ...NO_PAYMENTS, ...sum }))
  const sorted = [...byStore].sort(([one], [other]) => other - one)
  const rows = sorted.slice(0, limit).map(([storeNumber, sum]) => ({ storeNumber, ...sum }))
  return { rows, next: sorted.length > limit ? rows.at(-1)?.storeNumber : undefined }
}
