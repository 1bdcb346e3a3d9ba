import type { Clock } from '../../platform/clock.ts'
import type { Cursors } from '../../platform/lists/cursors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import { placeOf } from '../../platform/lists/walk.ts'
import { dateIn, zoneDay } from '../../platform/time/zone-day.ts'
import { type Result, resultOf } from '../day-sum.ts'
import type { PaymentLists, StageSum } from '../ports.ts'

export type Sum = Pick<StageSum, 'count' | 'amount'>

/** The payments of a store on one day. Those of a store without a speaker have no result. */
export interface StoreDay extends Omit<StageSum, 'stages'> {
  results: Record<Result, Sum>
}

/** Stores that the file's summary has in memory. */
const AT_ONCE = 1_000
const LIST = 'summary'
/** Of a cursor: a store's id, and the day. */
const PLACE = /^[0-9a-f-]{1,64} \d{4}-\d\d-\d\d$/
/** Above every store id. */
const ABOVE_ALL = '~'

interface Deps {
  lists: Pick<PaymentLists, 'addUp'>
  slices: Slices
  cursors: Cursors
  clock: Pick<Clock, 'now'>
}

export interface DayOfStores {
  /** YYYY-MM-DD; today in the zone when absent. */
  date?: string | undefined
  /** A name of the time zone database. */
  zone: string
  storeId?: string | undefined
}

/** The day that was added up. */
export interface Day {
  date: string
  zone: string
}

/** The stores of one page, those that were made last first, and the id of the last one when there are more. */
async function addUpStores(
  { lists, slices }: Pick<Deps, 'lists' | 'slices'>,
  clientId: string,
  { date, zone, storeId }: DayOfStores & Day,
  { limit, belowStoreId }: { limit: number; belowStoreId: string },
): Promise<{ stores: StoreDay[]; after: string | undefined }> {
  const day = zoneDay(date, zone)
  // A space: no longer id begins with this one.
  const below = storeId === undefined || storeId >= belowStoreId ? belowStoreId : `${storeId} `
  const filter = { clientId, ...day, leastStoreId: storeId ?? '', belowStoreId: below }
  let stores = new Map<string, StoreDay>()
  let after: string | undefined
  do {
    const found = await slices.run(clientId, () => lists.addUp(filter, after))
    for (const sum of found.sums) add(stores, sum)
    // One more store than the page has: it shows whether the page is the last. Lower ids are not on the page.
    if (stores.size > 2 * limit + 1) {
      stores = highest(stores, limit + 1)
      filter.leastStoreId = [...stores.keys()].at(-1) ?? ''
    }
    after = found.next
  } while (after !== undefined)
  const sorted = [...highest(stores, limit + 1).values()]
  const page = sorted.slice(0, limit)
  return { stores: page, after: sorted.length > limit ? page.at(-1)?.storeId : undefined }
}

function highest(stores: Map<string, StoreDay>, count: number): Map<string, StoreDay> {
  return new Map([...stores].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, count))
}

function add(stores: Map<string, StoreDay>, { storeId, terminalID, storeName, stages, ...sum }: StageSum) {
  const none = (): Sum => ({ count: 0, amount: 0n })
  const store = stores.get(storeId) ?? {
    ...{ storeId, terminalID, storeName, ...none() },
    results: {
      ...{ played: none(), missed: none(), suppressed: none(), failed: none(), open: none() },
      delivered: none(),
    },
  }
  stores.set(storeId, store)
  const best = resultOf(stages)
  for (const into of best ? [store, store.results[best]] : [store]) {
    into.count += sum.count
    into.amount += sum.amount
  }
}

/** The sums of a partner's payments of one day by store, the stores that were made last first. */
export function summarizeDay(deps: Deps) {
  const { cursors, clock } = deps
  const today = (zone: string) => dateIn(zone)(clock.now())

  return {
    /** Stores with a payment on that day. Throws VALIDATION_FAILED for a cursor of another list. */
    async summarizeDay(
      clientId: string,
      day: DayOfStores,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): Promise<{ day: Day; stores: StoreDay[]; next: string | undefined }> {
      const [belowStoreId = ABOVE_ALL, kept] = placeOf(cursors, { list: LIST, clientId, cursor }, PLACE)
      const date = day.date ?? kept ?? today(day.zone)
      const { stores, after } = await addUpStores(deps, clientId, { ...day, date }, { limit, belowStoreId })
      const next = after === undefined ? undefined : cursors.make(LIST, clientId, [after, date])
      return { day: { date, zone: day.zone }, stores, next }
    },

    /** All stores, read as they are asked for. */
    exportDay(clientId: string, day: DayOfStores): { day: Day; pages: AsyncGenerator<StoreDay[], void> } {
      const date = day.date ?? today(day.zone)
      return { day: { date, zone: day.zone }, pages: allStores(deps, clientId, { ...day, date }) }
    },
  }
}

async function* allStores(
  deps: Deps,
  clientId: string,
  day: DayOfStores & Day,
): AsyncGenerator<StoreDay[], void> {
  let belowStoreId: string | undefined = ABOVE_ALL
  while (belowStoreId !== undefined) {
    const page = { limit: AT_ONCE, belowStoreId }
    const found: Awaited<ReturnType<typeof addUpStores>> = await addUpStores(deps, clientId, day, page)
    yield found.stores
    belowStoreId = found.after
  }
}
