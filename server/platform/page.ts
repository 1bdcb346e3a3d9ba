/** Asks for a page of a list, which is in the order of its rows' numbers, newest first. */
export interface PageRequest {
  limit: number
  /** The cursor of the last row that was seen, or the `next` of the page before. The first page when absent. */
  after?: string | undefined
}

/** A row's place in its list. It stays the same while rows are added and deleted. */
export interface Placed {
  cursor: string
}

/**
 * A page of a list. It may have fewer rows than asked for, even none, and more may follow: one read looks at a bounded
 * number of rows, so that nothing waits for it.
 */
export interface Page<T> {
  rows: (T & Placed)[]
  /** Where the next page begins. Undefined at the end of the list. */
  next: string | undefined
}

/** What a cursor looks like. */
export const CURSOR_PATTERN = /^[0-9]{1,15}$/

/** Reads pages until there are as many rows as asked for, or no more. */
export async function readPages<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  { limit, after }: PageRequest,
): Promise<Page<T>> {
  const rows: Page<T>['rows'] = []
  let next = after
  do {
    const page = await read({ limit: limit - rows.length, after: next })
    rows.push(...page.rows)
    next = page.next
  } while (next !== undefined && rows.length < limit)
  return { rows, next }
}
