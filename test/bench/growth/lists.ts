import { searchPayments } from '../../../server/payments/lists/search-payments.ts'
import { summarizeDay } from '../../../server/payments/lists/summarize-day.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createCursors } from '../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../server/platform/lists/slices.ts'
import { createVault, type Vault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { MASTER_KEY } from '../parts/market.ts'
import { type Figure, milliseconds, perSecond } from '../parts/table.ts'
import { type Both, grown } from './figures.ts'
import { databaseOf, type Filled } from './seed.ts'
import { shopAt } from './shop-rows.ts'

/** How often each page is read, each time for another shop, and how many rows of a file. */
export const LISTS = { rounds: 20, fileRows: 50_000 }
const PAGE = { limit: 50 }
const GOAL = 'under 50 ms'

/** A page of each search over all payments, and the speed of a file. */
export async function benchLists(both: Both, effort = LISTS): Promise<Figure[]> {
  const [large, small] = [await measure(both.large, effort), await measure(both.small, effort)]
  const figure = (what: string, is: 'cost' | 'speed', word: (value: number) => string, goal?: string) =>
    grown(both, what, [[large.get(what) ?? Number.NaN, small.get(what) ?? Number.NaN]], { word, is, goal })
  return [...large.keys()].flatMap((what) =>
    what === FILE ? figure(what, 'speed', perSecond) : figure(what, 'cost', milliseconds, GOAL),
  )
}

const FILE = 'rows of a CSV file'

async function measure(
  { dataDir, size, partner }: Filled,
  { rounds, fileRows }: typeof LISTS,
): Promise<Map<string, number>> {
  const vault = createVault(MASTER_KEY)
  const storage = openSqliteStorage(
    databaseOf({ dataDir }),
    storageOptions({ vault, ids: createRandomIds() }),
  )
  await storage.resume()
  const { pages, readFile } = await listsOf(storage, vault, { size, partner }, rounds)
  const times = new Map<string, number>()
  for (const [what, read] of Object.entries(pages)) {
    const taken: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      await read(round)
      taken.push(performance.now() - startedAt)
    }
    times.set(what, taken.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN)
  }
  const startedAt = performance.now()
  const rows = await readFile(fileRows)
  times.set(FILE, rows / ((performance.now() - startedAt) / 1_000))
  storage.close()
  return times
}

/** Reads of lists, each page in so many rounds for another shop or payment. */
export async function listsOf(
  storage: Pick<Storage, 'lists'>,
  vault: Vault,
  { size, partner: { clientId } }: Pick<Filled, 'size' | 'partner'>,
  rounds: number,
) {
  const deps = {
    lists: storage.lists.payments,
    slices: createSlices(),
    cursors: createCursors(vault),
    clock: systemClock,
  }
  const { searchPayments: search, exportPayments } = searchPayments(deps)
  const [newest] = (await storage.lists.payments.page({ clientId }, { limit: 1 })).rows
  if (!newest) throw new Error('the file has payments')
  /** The number of a payment somewhere in the file. */
  const some = (round: number) => Math.floor(((round + 0.5) / rounds) * size.payments)
  const look = async (filter: Parameters<typeof search>[1]) => search(clientId, { from: 0, ...filter }, PAGE)
  const pages: Record<string, (round: number) => Promise<unknown>> = {
    'a page of all payments': () => look({}),
    'of a till': (round) => look({ terminalID: shopAt(some(round), size).terminalID }),
    'of a store': () => look({ storeId: newest.storeId }),
    'of a traceTransfer': (round) => look({ traceTransfer: String(some(round)) }),
    'of an ftCode': (round) => look({ ftCode: `FT${some(round)}` }),
    'of an id': () => look({ id: newest.payment.id }),
    'of a bill number that no payment has': () => look({ billNumber: 'NONE' }),
    'of a bank that no payment has': () => look({ bankCode: 'NONE' }),
    'of an amount that no payment has': () => look({ minAmount: 9_999_999 }),
    'of an outcome that no payment has': () => look({ outcome: 'amount_mismatch' }),
    'of a stage that few have: expired': () => look({ stage: 'expired' }),
    'of a stage that most have: played': () => look({ stage: 'played' }),
    'a summary of today by store': () =>
      summarizeDay(deps).summarizeDay(clientId, { zone: 'Asia/Ho_Chi_Minh' }, PAGE),
  }
  return {
    pages,
    /** Reads so many rows of a CSV file, and returns how many there were. */
    async readFile(most: number): Promise<number> {
      let rows = 0
      for await (const page of exportPayments(clientId, { from: 0 }).pages) {
        rows += page.length
        if (rows >= most) break
      }
      return rows
    },
  }
}
