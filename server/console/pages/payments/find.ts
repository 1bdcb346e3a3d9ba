import type { Stage } from '../../../announcements/announcement.ts'
import { STAGES } from '../../../announcements/announcement.ts'
import { readInstant } from '../../../operate/instant.ts'
import type { PaymentFilter, PaymentView } from '../../../payments/ports.ts'
import type { Page, PageRequest, Placed } from '../../../platform/page.ts'
import type { StoreReport } from '../../../stores/ports.ts'
import { ROWS } from '../../parts/list.ts'
import { readAmount, timeOfId } from '../../parts/read-text.ts'
import { readRows } from '../../parts/reading.ts'
import type { OwnVisit } from '../../parts/visit.ts'

const HOUR_MS = 60 * 60_000
/** A code is looked for among traces, and then among bill numbers. */
const EACH_MS = 25
/** How long an id is looked for when it is not where its time says. */
const ANYWHERE_MS = 200
/** Shops of a name, from which a person chooses. */
const SHOPS = 20

export type Row = PaymentView & Placed

/** What a search has found so far. */
export interface Found {
  rows: readonly Row[]
  /** The query of the next page in addition. */
  next: Readonly<Record<string, string>> | undefined
  /** Several shops fit: a person chooses one. */
  shops: readonly StoreReport[]
  /** The fields that can't be read. */
  unreadable: readonly string[]
}

const NOTHING: Found = { rows: [], next: undefined, shops: [], unreadable: [] }

/** Searches payments by the fields of the form. All that is given must fit. */
export async function findPayments(visit: OwnVisit, asked: Readonly<Record<string, string>>): Promise<Found> {
  const { filter, unreadable } = filterOf(asked, visit.now)
  if (unreadable.length > 0) return { ...NOTHING, unreadable }
  const { shop, code, before, by } = asked
  const after = before !== undefined && /^\d{1,15}$/.test(before) ? before : undefined
  if (shop !== undefined) {
    const shops = await visit.storage.lists.stores.named(shop, { clientId: filter.clientId, limit: SHOPS })
    const [only, ...others] = shops
    if (!only || others.length > 0) return { ...NOTHING, shops }
    filter.clientId = only.store.clientId
    filter.storeId = only.store.id
  }
  if (code !== undefined) return byCode(visit, code, filter, { after, by })
  const { rows, next } = await walk(visit, filter, after)
  return { ...NOTHING, rows, next: next === undefined ? undefined : { before: next } }
}

/**
 * By an ftCode or an id, which an index finds at once; or else by a trace, then by a bill number, which SQLite may have to
 * look for: what it has not looked at is on the next page.
 */
async function byCode(
  visit: OwnVisit,
  code: string,
  filter: PaymentFilter,
  { after, by }: { after: string | undefined; by: string | undefined },
): Promise<Found> {
  if (after === undefined && by === undefined) {
    const known = await atOnce(visit, code)
    if (known.length > 0) return { ...NOTHING, rows: known.filter((row) => fits(row, filter)) }
  }
  const rows: Row[] = []
  if (by !== 'bill') {
    const { rows: found, next } = await walk(visit, { ...filter, traceTransfer: code }, after, ROWS, EACH_MS)
    rows.push(...found)
    if (next !== undefined) return { ...NOTHING, rows, next: { before: next, by: 'trace' } }
  }
  const below = by === 'bill' ? after : undefined
  const { rows: found, next } = await walk(
    visit,
    { ...filter, billNumber: code },
    below,
    ROWS - rows.length,
    EACH_MS,
  )
  rows.push(...found.filter(({ payment }) => payment.traceTransfer !== code))
  return { ...NOTHING, rows, next: next === undefined ? undefined : { before: next, by: 'bill' } }
}

/** The payments of an ftCode or of an id, which indexes find at once. */
export async function atOnce(visit: OwnVisit, code: string): Promise<Row[]> {
  const byId = await findById(visit, code)
  if (byId) return [byId]
  const views = await visit.storage.lists.payments.findByFtCode(code)
  return views.map((view) => ({ ...view, cursor: '' })).reverse()
}

/** The payment with this id: it tells when it was made, and so where to look. */
export async function findById(visit: OwnVisit, id: string): Promise<Row | undefined> {
  const madeAt = timeOfId(id)
  if (madeAt === undefined) return undefined
  const look = async (between: Pick<PaymentFilter, 'from' | 'until'>, mostMs: number) => {
    const filter = { id, ...between }
    const read = (page: PageRequest) => visit.storage.lists.payments.page(filter, page)
    return (await readRows(visit, read, { limit: 1 }, mostMs)).rows[0]
  }
  const near = await look({ from: madeAt - HOUR_MS, until: madeAt + HOUR_MS }, Number.POSITIVE_INFINITY)
  // The clock of another hub may have made it.
  return near ?? look({}, ANYWHERE_MS)
}

export function walk(
  visit: OwnVisit,
  filter: PaymentFilter,
  after: string | undefined,
  limit = ROWS,
  mostMs?: number,
): Promise<Page<PaymentView>> {
  const { page } = visit.storage.lists.payments
  return readRows(visit, (asked) => page(filter, asked), { limit, after }, mostMs)
}

function filterOf(asked: Readonly<Record<string, string>>, now: number) {
  const unreadable: string[] = []
  const read = <T>(name: string, reader: (text: string) => T | undefined): T | undefined => {
    const text = asked[name]
    if (text === undefined) return undefined
    const value = reader(text)
    if (value === undefined) unreadable.push(name)
    return value
  }
  const instant = (text: string) => readInstant(text, now)
  const filter: PaymentFilter = {
    from: read('from', instant),
    until: read('until', instant),
    minAmount: read('min', readAmount),
    maxAmount: read('max', readAmount),
    stage: read('stage', (text) => STAGES.find((stage: Stage) => stage === text)),
    clientId: asked.partner,
  }
  return { filter, unreadable }
}

/** Whether a payment that was found by its code fits the other fields. */
function fits({ payment, storeId, announcements }: PaymentView, filter: PaymentFilter): boolean {
  const { from = 0, until = Number.POSITIVE_INFINITY, stage } = filter
  const { minAmount = 0, maxAmount = Number.POSITIVE_INFINITY } = filter
  const amount = Number(payment.amount)
  return (
    payment.receivedAt >= from &&
    payment.receivedAt < until &&
    amount >= minAmount &&
    amount <= maxAmount &&
    (filter.clientId ?? payment.clientId) === payment.clientId &&
    (filter.storeId ?? storeId) === storeId &&
    (stage === undefined || announcements.some((one) => one.stage === stage))
  )
}
