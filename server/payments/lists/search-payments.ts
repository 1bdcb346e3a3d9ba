import type { Clock } from '../../platform/clock.ts'
import { fieldError } from '../../platform/errors.ts'
import type { Cursors } from '../../platform/lists/cursors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import { allPages, type PageRequest, readPages } from '../../platform/page.ts'
import type { PaymentFilter, PaymentLists, PaymentView } from '../ports.ts'

const DAY_MS = 24 * 60 * 60_000
/** Payments that are read at once: a millisecond. */
const AT_ONCE = 20
/** Reads for one page; each looks at a thousand payments, or at the digests of a hundred times as many. */
const MOST_READS = 2_000
const LIST = 'payments'

/** Which payments a partner searches. Without `from`: of the 24 hours before `until`, which is now when it is absent. */
export type PaymentSearch = Omit<PaymentFilter, 'clientId' | 'serial' | 'code'>

interface Deps {
  lists: Pick<PaymentLists, 'page'>
  slices: Slices
  cursors: Cursors
  clock: Pick<Clock, 'now'>
}

const reader =
  ({ lists, slices }: Pick<Deps, 'lists' | 'slices'>, filter: PaymentFilter & { clientId: string }) =>
  (page: PageRequest) =>
    slices.run(filter.clientId, () => lists.page(filter, { ...page, limit: Math.min(page.limit, AT_ONCE) }))

/**
 * Finds a partner's payments, newest first. A page is full unless the list ends with it, or the search has looked at a
 * million payments or more for it. Throws VALIDATION_FAILED for a cursor of another list.
 */
export function searchPayments(deps: Deps) {
  return async function searchPayments(
    clientId: string,
    search: PaymentSearch,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ views: PaymentView[]; next: string | undefined }> {
    const place = cursor === undefined ? undefined : placeOf(deps.cursors.read(LIST, clientId, cursor))
    // A cursor keeps the beginning of the default time: else rows would leave the list while it is walked.
    const from = search.from ?? place?.from ?? (search.until ?? deps.clock.now()) - DAY_MS
    const read = reader(deps, { ...search, clientId, from })
    const { rows, next } = await readPages(read, { limit, after: place?.after }, MOST_READS)
    return {
      views: rows,
      next: next === undefined ? undefined : deps.cursors.make(LIST, clientId, [next, String(from)]),
    }
  }
}

/** As searchPayments: all pages, read as they are asked for. */
export function exportPayments(deps: Omit<Deps, 'cursors'>) {
  return function exportPayments(clientId: string, search: PaymentSearch) {
    const from = search.from ?? (search.until ?? deps.clock.now()) - DAY_MS
    return allPages(reader(deps, { ...search, clientId, from }), AT_ONCE)
  }
}

const NUMBER = /^\d{1,15}$/

function placeOf(place: readonly string[] = []): { after: string; from: number } {
  const [after = '', from = '', ...more] = place
  if (!NUMBER.test(after) || !/^-?\d{1,15}$/.test(from) || more.length > 0)
    throw fieldError('VALIDATION_FAILED', 'cursor', 'is not the `next` of a page of this list')
  return { after, from: Number(from) }
}
