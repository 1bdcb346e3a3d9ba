/** Rows of a page of a long act, each page in its own commit: other acts on these rows wait for one page at most. */
export const PAGE = 500
/** Rows of the first page, which is almost always the only one. */
export const FIRST_PAGE = 50

/** Carries out a long act page by page. `page` gets `first`, then what the page before has returned, until that is none. */
export async function inPages<C>(first: C, page: (cursor: C) => Promise<C | undefined>): Promise<void> {
  for (let cursor: C | undefined = first; cursor !== undefined; ) cursor = await page(cursor)
}
