import { type Page, type PageRequest, readPages } from '../../platform/page.ts'
import { done, type Outcome, table } from './output.ts'

/** Rows that a list shows to a person who gives no limit. */
export const SHOWN = 50

export interface ListOptions {
  client?: string
  /** All when absent, in JSON. */
  limit?: number
  after?: string
}

interface Layout<T> {
  head: string[]
  cells: (row: T) => string[]
  /** Printed without rows. */
  none: string
  /** Printed below the rows. */
  notes?: string[]
  json: (row: T) => object
}

/** Reads the rows of a list: as many as asked for in JSON, and no more than a person reads as text. */
export async function listing<T>(
  read: (page: PageRequest) => Promise<Page<T>>,
  { limit, after }: ListOptions,
  { head, cells, none, notes = [], json }: Layout<T>,
): Promise<Outcome> {
  const { rows, next } = await readPages(read, { limit: limit ?? Number.MAX_SAFE_INTEGER, after })
  const shown = rows.slice(0, limit ?? SHOWN)
  const last = shown.at(-1)
  const isMore = next !== undefined || shown.length < rows.length
  const more = last && isMore ? [`There are more: add --after ${last.cursor}, or --limit.`] : []
  return done(
    rows.map((row) => ({ ...json(row), cursor: row.cursor })),
    table(head, shown.map(cells), none),
    ...notes,
    ...more,
  )
}
