import { fieldError } from '../errors.ts'
import { fromCursor, type Page, type PageRequest, readPages, toCursor } from '../page.ts'
import type { Slices } from './slices.ts'

/** Rows that one slice reads: some of them have values to unseal. */
const AT_ONCE = 20
const NUMBER = /^\d{1,15}$/

/**
 * Reads one page of a partner's list, in slices. The cursors that come and go are opaque. Throws VALIDATION_FAILED for a
 * cursor of another list.
 */
export async function walkList<T>(
  slices: Slices,
  {
    list,
    clientId,
    limit,
    cursor,
  }: { list: string; clientId: string; limit: number; cursor?: string | undefined },
  read: (page: PageRequest) => Promise<Page<T>>,
): Promise<Page<T>> {
  const [after, ...more] = cursor === undefined ? [undefined] : (fromCursor(list, cursor) ?? [''])
  if (after !== undefined && (!NUMBER.test(after) || more.length > 0))
    throw fieldError('VALIDATION_FAILED', 'cursor', 'is not the `next` of a page of this list')
  const slice = (page: PageRequest) =>
    slices.run(clientId, () => read({ ...page, limit: Math.min(page.limit, AT_ONCE) }))
  const { rows, next } = await readPages(slice, { limit, after })
  return { rows, next: next === undefined ? undefined : toCursor(list, [next]) }
}
