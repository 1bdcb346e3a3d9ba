import type { Clock } from '../../platform/clock.ts'
import type { Cursors } from '../../platform/lists/cursors.ts'
import type { Slices } from '../../platform/lists/slices.ts'
import { placeOf } from '../../platform/lists/walk.ts'
import { allPages, type PageRequest, readPages } from '../../platform/page.ts'
import type { PaymentFilter, PaymentLists, PaymentView } from '../ports.ts'

const DAY_MS = 24 * 60 * 60_000
/** Payments that are read at once: a millisecond. */
const AT_ONCE = 20
/** Reads for one page; each looks at a thousand payments, or at the digests of a hundred times as many. */
const MOST_READS = 2_000
const LIST = 'payments'
/** Of a cursor: the `next` of a page, and the beginning of the time. */
const PLACE = /^\d{1,15} -?\d{1,15}$/

/** Which payments a partner searches. Without `from`: of the 24 hours before `until`, which is now when it is absent. */
export type PaymentSearch = Omit<PaymentFilter, 'clientId' | 'serial' | 'code'>

interface Deps {
  lists: Pick<PaymentLists, 'page'>
  slices: Slices
  cursors: Cursors
  clock: Pick<Clock, 'now'>
}

/** Searches of a partner's payments, newest first. */
export function searchPayments({ lists, slices, cursors, clock }: Deps) {
  const fromOf = ({ from, until = clock.now() }: PaymentSearch) => from ?? until - DAY_MS

  const readerOf = (filter: PaymentFilter & { clientId: string }) => (page: PageRequest) =>
    slices.run(filter.clientId, () => lists.page(filter, { ...page, limit: Math.min(page.limit, AT_ONCE) }))

  return {
    /**
     * A page is full unless the list ends with it, or the search has looked at a million payments or more for it. Throws
     * VALIDATION_FAILED for a cursor of another list.
     */
    async searchPayments(
      clientId: string,
      search: PaymentSearch,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): Promise<{ views: PaymentView[]; next: string | undefined }> {
      const [after, kept] = placeOf(cursors, { list: LIST, clientId, cursor }, PLACE)
      // A cursor keeps the beginning of the default time: else rows would leave the list while it is walked.
      const from = search.from ?? (kept === undefined ? fromOf(search) : Number(kept))
      const read = readerOf({ ...search, clientId, from })
      const { rows, next } = await readPages(read, { limit, after }, MOST_READS)
      return {
        views: rows,
        next: next === undefined ? undefined : cursors.make(LIST, clientId, [next, String(from)]),
      }
    },

    /** All pages, read as they are asked for, and the period of their payments. */
    exportPayments(clientId: string, search: PaymentSearch) {
      const until = search.until ?? clock.now()
      const from = fromOf({ ...search, until })
      const pages = allPages(readerOf({ ...search, clientId, from }), AT_ONCE)
      return { from, until, pages }
    },
  }
}
