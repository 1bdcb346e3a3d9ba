import { fieldError } from '../errors.ts'
import { type Page, type PageRequest, readPages } from '../page.ts'
import type { Cursors } from './cursors.ts'
import type { Slices } from './slices.ts'

/** Rows that one slice reads, unless the list says so: some of them have values to unseal. */
const AT_ONCE = 20
/** Also the seq of an event. */
const NUMBER = /^\d{1,16}$/

/**
 * Reads one page of a partner's list, in slices. The cursors that come and go are opaque. Throws VALIDATION_FAILED for a
 * cursor of another list.
 */
export async function walkList<T>(
  { slices, cursors }: { slices: Slices; cursors: Cursors },
  {
    list,
    clientId,
    limit,
    cursor,
    atOnce = AT_ONCE,
  }: { list: string; clientId: string; limit: number; cursor?: string | undefined; atOnce?: number },
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const [after, ...more] = cursor === undefined ? [undefined] : (cursors.read(list, clientId, cursor) ?? [''])
  if (after !== undefined && (!NUMBER.test(after) || more.length > 0))
    throw fieldError('VALIDATION_FAILED', 'cursor', 'is not the `next` of a page of this list')
  const slice = (page: PageRequest) =>
    slices.run(clientId, () => read({ ...page, limit: Math.min(page.limit, atOnce) }))
  const { rows, next } = await readPages(slice, { limit, after })
  return { rows, next: next === undefined ? undefined : cursors.make(list, clientId, [next]) }
}
