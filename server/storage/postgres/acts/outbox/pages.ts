/** Carries out a long act page by page. `page` gets `first`, then what the page before has returned, until that is none. */
export async function inPages<C>(first: C, page: (cursor: C) => Promise<C | undefined>): Promise<void> {
  for (let cursor: C | undefined = first; cursor !== undefined; ) cursor = await page(cursor)
}
