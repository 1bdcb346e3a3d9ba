import { createSlices } from '../../platform/lists/slices.ts'
import type { Page, PageRequest } from '../../platform/page.ts'
import type { OwnVisit } from './visit.ts'

/** SQLite reads in the thread of the pages: what may be long goes in slices, so that people are answered in turn. */
const slices = createSlices()

/** A page does not look for rows any longer than that. What it has not looked at, it offers by a link. */
const LOOKS_MS = 50

/** Carries out a part of a long read in its turn. */
export const inSlice = <T>({ who }: Pick<OwnVisit, 'who'>, read: () => Promise<T>): Promise<T> =>
  slices.run(who.id, read)

/** Reads rows of a list until there are as many as asked for, or no more, or it has taken `mostMs`. */
export async function readRows<T>(
  visit: Pick<OwnVisit, 'who'>,
  read: (page: PageRequest) => Promise<Page<T>>,
  { limit, after }: PageRequest,
  mostMs = LOOKS_MS,
): Promise<Page<T>> {
  const rows: Page<T>['rows'] = []
  const since = performance.now()
  let next = after
  do {
    const page = await inSlice(visit, () => read({ limit: limit - rows.length, after: next }))
    rows.push(...page.rows)
    next = page.next
  } while (next !== undefined && rows.length < limit && performance.now() - since < mostMs)
  return { rows, next }
}

/** The texts of a form by the names of its fields, without white space around; empty when there is none. */
export async function formOf({ c }: Pick<OwnVisit, 'c'>) {
  const form = await c.req.parseBody()
  return (name: string) => {
    const value = form[name]
    return typeof value === 'string' ? value.trim() : ''
  }
}
