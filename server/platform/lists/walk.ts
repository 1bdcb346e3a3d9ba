import { fieldError } from '../errors.ts'
import { type Page, type PageRequest, readPages } from '../page.ts'
import type { Cursors } from './cursors.ts'
import type { Slices } from './slices.ts'

/** Rows that one slice reads, unless the list says so: some of them have values to unseal. */
const AT_ONCE = 20
/** Also the seq of an event. */
const NUMBER = /^\d{1,16}$/

/** A partner's list, and the cursor from which on it is read. */
export interface ListRequest {
  list: string
  clientId: string
  cursor?: string | undefined
}

/** The place of a cursor, empty without one. Throws VALIDATION_FAILED for a cursor of another list. */
export function placeOf(
  cursors: Cursors,
  { list, clientId, cursor }: ListRequest,
  pattern: RegExp,
): string[] {
  if (cursor === undefined) return []
  const place = cursors.read(list, clientId, cursor) ?? []
  if (pattern.test(place.join(' '))) return place
  throw fieldError('VALIDATION_FAILED', 'cursor', 'is not the `next` of a page of this list')
}

/**
 * Reads one page of a partner's list, in slices. The cursors that come and go are opaque. Throws VALIDATION_FAILED for a
 * cursor of another list.
 */
export async function walkList<T>(
  { slices, cursors }: { slices: Slices; cursors: Cursors },
  { limit, atOnce = AT_ONCE, ...asked }: ListRequest & { limit: number; atOnce?: number },
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const { list, clientId } = asked
  const [after] = placeOf(cursors, asked, NUMBER)
  const slice = (page: PageRequest) =>
    slices.run(clientId, () => read({ ...page, limit: Math.min(page.limit, atOnce) }))
  const { rows, next } = await readPages(slice, { limit, after })
  return { rows, next: next === undefined ? undefined : cursors.make(list, clientId, [next]) }
}
