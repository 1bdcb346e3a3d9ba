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

/** Reads pages until there are as many rows as asked for, or no more, or `mostReads` pages were read. */
export async function readPages<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  { limit, after }: PageRequest,
  mostReads = Number.POSITIVE_INFINITY,
): Promise<Page<T>> {
  const rows: Page<T>['rows'] = []
  let next = after
  let reads = 0
  do {
    const page = await read({ limit: limit - rows.length, after: next })
    rows.push(...page.rows)
    next = page.next
    reads += 1
  } while (next !== undefined && rows.length < limit && reads < mostReads)
  return { rows, next }
}

/** Reads a whole list, page by page, as it is asked for. */
export async function* allPages<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<Page<T>['rows'], void> {
  let after: string | undefined
  do {
    const { rows, next } = await read({ limit, after })
    yield rows
    after = next
  } while (after !== undefined)
}
