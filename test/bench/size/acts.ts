import type { Client } from 'pg'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Vault } from '../../../server/security/vault.ts'
import type { Pruned, Storage } from '../../../server/storage/ports.ts'
import { bornWith } from '../../server/storage/shop.ts'
import { OPERATOR } from '../../support/actors.ts'
import { type ACTS, type Act, AT_ONCE, actsOn } from '../growth/acts.ts'
import { listsOf } from '../growth/lists.ts'
import { paymentOf } from '../growth/payment.ts'
import { SESSION } from '../growth/seed.ts'
import { shopAt, shopIndex } from '../growth/shop-rows.ts'
import { DAY_MS, DAYS, type PaidShop } from './history.ts'
import { seqOf } from './periods.ts'
import type { Seeded } from './seed.ts'

const BILL_SHOWN_MS = 15 * 60_000
/** Events that get their seqs in one step, and such steps: the acts before have made somewhat more events. */
export const NUMBERED = 1_000
const STEPS = 10
/** Retention deletes what is from this first share of the history. */
const OLD_SHARE = 1 / 2
/** The tables that acts of payments, speakers and partners write. */
export const WRITTEN = [
  ...['payments', 'payment_keys', 'announcements', 'open_announcements', 'events', 'event_queue'],
  ...['store_totals', 'device_state', 'bills', 'stores', 'devices', 'audit'],
]

/** As if retention had noted what repeats of all payments of the oldest partition are known by. */
const ALL_NOTED = `UPDATE partitions SET copied_to = least + 9999999999
  WHERE series = 'payments' AND number = (SELECT min(number) FROM partitions WHERE series = 'payments' AND number > 0)`

const NO_INDEX = 'none: no index'
/** A shop has 200 payments among 20,000,000, and 10 among 1,000,000. */
const MORE_ROWS = 'none: the page has more rows'
/** Lists that have no goal, and why. */
const WITHOUT_GOAL: Readonly<Record<string, string>> = {
  'of a till': MORE_ROWS,
  'of a store': MORE_ROWS,
  'of a bank that no payment has': NO_INDEX,
  'of an amount that no payment has': NO_INDEX,
  'of an outcome that no payment has': NO_INDEX,
  'of a stage that most have: played': NO_INDEX,
  'a summary of today by store': 'none: adds up the day',
}

/** An act that is measured. */
export interface Measurable extends Act {
  /** Why there is no goal. */
  noGoal?: string
  /** What its cost is divided by; without it, by its times. */
  units?: number
}

/** How a side of the comparison is reached. */
export interface Side {
  seeded: Seeded
  storage: Storage
  vault: Vault
  admin: Client
}

const alone = (times: number, run: Act['run']): Act => ({ times, atOnce: 1, run })

/** The acts of `million`, those of bills, stores and births, and a vacuum of what they all leave. */
export function actsOf(
  { storage, seeded, admin }: Side,
  round: number,
  times: typeof ACTS,
): Record<string, Act> {
  const { partner, shops, size } = seeded
  const { clientId } = partner
  const { bills, events, outbox, payments, stores } = storage
  const ids = createRandomIds()
  const at = (number: number): PaidShop => {
    const shop = shops[shopIndex(number + round * times.alone, size)]
    if (!shop) throw new Error('a shop of the history')
    return shop
  }
  const pay = (number: number, kind: string, billNumber = '') =>
    payments.record({
      ...paymentOf({
        ...{ id: ids.uuid(), clientId, at: Date.now(), ftCode: `${kind}${round}-${number}` },
        terminalID: shopAt(number + round * times.alone, size).terminalID,
      }),
      billNumber,
    })
  const billNumber = (number: number) => `NEW${round}-${number}`
  return {
    ...actsOn(storage, seeded, round, times),
    'record a payment alone': alone(times.alone, (number) => pay(number, 'ALONE')),
    'put a bill': alone(times.alone, (number) =>
      bills.put(
        clientId,
        {
          ...{ id: ids.uuid(), storeId: at(number).storeId, billNumber: billNumber(number), amount: '50000' },
          ...{ qrcode: 'dynamic QR', shownUntil: Date.now() + BILL_SHOWN_MS },
        },
        Date.now(),
      ),
    ),
    'record the payment of a bill, alone': alone(times.alone, (number) =>
      pay(number, 'BILL', billNumber(number)),
    ),
    'birth of a speaker': {
      ...{ times: Math.ceil(times.alone / AT_ONCE) * AT_ONCE, atOnce: AT_ONCE },
      run: (number) =>
        outbox.begin({ deviceId: at(number).deviceId, sessionId: SESSION }, Date.now(), { born: bornWith() }),
    },
    'birth of a speaker, alone': alone(times.alone, (number) =>
      outbox.begin({ deviceId: at(number).deviceId, sessionId: SESSION }, Date.now(), { born: bornWith() }),
    ),
    'change a store': alone(times.alone, (number) =>
      stores.update(OPERATOR, at(number).storeId, { storeName: `Shop of round ${round}` }, Date.now()),
    ),
    [`give ${NUMBERED} events their seqs`]: alone(STEPS, () => events.number(NUMBERED)),
    'vacuum of what these acts leave': alone(1, () => admin.query(`VACUUM ${WRITTEN.join()}`)),
  }
}

/** Pages of lists and of events. */
export async function readsOf(
  { storage, seeded, vault }: Side,
  { pages: times, fileRows }: { pages: number; fileRows: number },
): Promise<Record<string, Measurable>> {
  const { clientId } = seeded.partner
  const { pages, readFile } = await listsOf(storage, vault, seeded, times)
  const lists = Object.entries(pages).map(([what, run]): [string, Measurable] => {
    const noGoal = WITHOUT_GOAL[what]
    return [`list: ${what}`, noGoal === undefined ? alone(times, run) : { ...alone(1, run), noGoal }]
  })
  /** A seq somewhere in the history. */
  const some = (number: number) =>
    seqOf(Math.floor(seeded.startedAt + ((number + 0.5) / times) * DAYS * DAY_MS))
  const { page, heads, outlines, find } = storage.events
  const [event] = (await page(clientId, { after: some(0), limit: 1 })).events
  if (!event) throw new Error('the history has events')
  return {
    ...Object.fromEntries(lists),
    [`list: ${fileRows} rows of a CSV file`]: alone(1, () => readFile(fileRows)),
    'events: a page of 50': alone(times, (number) => page(clientId, { after: some(number), limit: 50 })),
    'events: a page of a type that none has': alone(times, (number) =>
      page(clientId, { after: some(number), limit: 50, types: ['announcement.failed'] }),
    ),
    'events: 500 outlines': alone(times, (number) => outlines(clientId, { after: some(number), limit: 500 })),
    'events: the highest seq': alone(times, () => heads([clientId])),
    'events: one by its id': alone(times, () => find(clientId, event.id)),
  }
}

/** Old rows: of partitions a page of what is noted of payments, and whole periods. Each round goes on behind the one before. */
export function retentionOf({ storage, seeded, admin }: Side, pages: number): Record<string, Measurable> {
  const { startedAt, periods, size } = seeded
  const units = size.payments / periods / 1_000
  const before = Math.floor(startedAt + OLD_SHARE * DAYS * DAY_MS)
  const { pruneEvents, prunePayments } = storage.retention
  const deleting = (times: number, prune: (after: string) => Promise<Pruned>) => {
    let after = ''
    return alone(times, async () => {
      const { deleted, next } = await prune(after)
      if (deleted === 0) throw new Error('old rows were deleted')
      after = next ?? ''
    })
  }
  const prunePage = (after: string) => prunePayments(before, after, Date.now())
  const pageOfPayments = { 'retention: a page of payments': deleting(pages, prunePage) }
  if (periods === 0)
    return {
      'retention: a page of events': deleting(pages, (after) => pruneEvents(before, after)),
      ...pageOfPayments,
    }
  return {
    // Events refer to payments, so they go first.
    'retention: a period, its events, for 1,000 payments': {
      ...deleting(1, (after) => pruneEvents(before, after)),
      units,
    },
    ...pageOfPayments,
    'retention: a period that is noted, for 1,000 payments': {
      units,
      ...alone(1, async () => {
        await admin.query(ALL_NOTED)
        await prunePayments(before, '', Date.now())
      }),
    },
  }
}
