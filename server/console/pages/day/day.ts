import { addSums, NO_PAYMENTS, type ResultSum } from '../../../payments/day-sum.ts'
import { type DaySums, readDaySums } from '../../../payments/lists/day-sums.ts'
import { fieldError } from '../../../platform/errors.ts'
import { dateIn, isDate, isZone } from '../../../platform/time/zone-day.ts'
import { askedFor, ROWS } from '../../parts/list.ts'
import { inSlice } from '../../parts/reading.ts'
import type { OwnVisit } from '../../parts/visit.ts'

const ZONE = 'Asia/Ho_Chi_Minh'
/** A search for an account looks through pages of shops so long. */
const LOOKS_MS = 50
/** Of a statement among those of its day. */
const PLACE = /^\d{4}-\d\d-\d\d [0-9a-f-]{36}$/

/** The day that somebody looks at. */
export interface AskedDay {
  date: string
  zone: string
  /** Undefined: all partners. */
  partner: string | undefined
  /** The end of an account's number. */
  account: string | undefined
  /** Shops below this number. */
  before: number | undefined
  /** Statements behind this place. */
  statements: string | undefined
}

/** Reads the address of a day. Throws VALIDATION_FAILED. */
export function askedDay({ c, now }: OwnVisit): AskedDay {
  const names = ['date', 'zone', 'partner', 'account', 'before', 'statements'].map((name) => ({ name }))
  const { date, zone = ZONE, partner, account, before, statements } = askedFor(c, names)
  if (!isZone(zone)) throw fieldError('VALIDATION_FAILED', 'zone', 'is no name of the time zone database')
  if (date !== undefined && !isDate(date))
    throw fieldError('VALIDATION_FAILED', 'date', 'is no date such as 2026-11-20')
  return {
    ...{ date: date ?? dateIn(zone)(now), zone, partner },
    account: account?.replaceAll(/[\s.-]/g, ''),
    before: before !== undefined && /^\d{1,15}$/.test(before) ? Number(before) : undefined,
    statements: statements !== undefined && PLACE.test(statements) ? statements : undefined,
  }
}

/** A shop's day. */
export interface ShopDay extends ResultSum {
  storeId: string
  clientId: string
  terminalID: string
  storeName: string
  bank: string
  /** All but its end is hidden. */
  account: string
}

export interface PartnerDay extends ResultSum {
  clientId: string
  name: string
}

/** What a day's page shows. */
export interface ShownDay {
  /** Of the partner, or of all. */
  total: ResultSum
  /** Those with payments, when several could be meant. */
  partners: PartnerDay[]
  /** Those of the one partner. */
  shops: ShopDay[]
  next: number | undefined
}

/** Reads a day. Undefined: the sums of older payments are still being made. */
export async function readDay(visit: OwnVisit, asked: AskedDay): Promise<ShownDay | undefined> {
  const { storage } = visit
  const all = await storage.partners.list()
  const meant = all.filter(({ clientId }) => (asked.partner ?? clientId) === clientId)
  const clientIds = meant.map(({ clientId }) => clientId)
  const slice = <T>(read: () => Promise<T>) => inSlice(visit, read)
  return readDaySums(storage.lists.payments, slice, { ...asked, clientIds }, async (sums) => {
    const total = [...sums.totals.values()].reduce(addSums, NO_PAYMENTS)
    const partners = meant.flatMap(({ clientId, name }) => {
      const sum = sums.totals.get(clientId)
      return sum ? [{ clientId, name, ...sum }] : []
    })
    const only = partners.length === 1 || asked.partner !== undefined ? partners[0] : undefined
    if (!only) return { total, partners, shops: [], next: undefined }
    return { total, partners: [], ...(await shopsOf(visit, asked, sums, only.clientId)) }
  })
}

/** The shops of one page. Those of an account are looked for page by page. */
async function shopsOf(visit: OwnVisit, { account, before }: AskedDay, sums: DaySums, clientId: string) {
  const shops: ShopDay[] = []
  const since = performance.now()
  let below = before
  do {
    const { rows, next } = await sums.stores(clientId, below, ROWS)
    const byNumber = new Map(rows.map(({ storeNumber, ...sum }) => [String(storeNumber), sum]))
    const reports = await inSlice(visit, () =>
      visit.storage.lists.stores.ofNumbers(rows.map(({ storeNumber }) => storeNumber)),
    )
    for (const { store, cursor } of reports) {
      if (account !== undefined && !store.bankAccountNumber.endsWith(account)) continue
      shops.push({
        ...{ storeId: store.id, clientId, terminalID: store.terminalID, storeName: store.storeName },
        ...{ bank: store.bankName, account: hiddenAccount(store.bankAccountNumber) },
        ...(byNumber.get(cursor) ?? NO_PAYMENTS),
      })
    }
    below = next
  } while (
    account !== undefined &&
    below !== undefined &&
    shops.length < ROWS &&
    performance.now() - since < LOOKS_MS
  )
  return { shops, next: below }
}

/** The end of an account's number tells a person which one it is. */
export function hiddenAccount(number: string): string {
  return number.length > 6 ? `•••${number.slice(-4)}` : '•••'
}
