import type { Clock } from '../calls/clock.ts'
import type { EventsDto } from '../generated/types.ts'

interface Page<Row> {
  data: Row[]
  /** The cursor of the next page. Null at the end of the list. */
  next: string | null
}

/** Every row of a list, page after page. A row that was in the list at the start comes exactly once. */
export async function* rowsOf<Row, Query extends { cursor?: string }>(
  query: Query,
  read: (page: Query) => Promise<Page<Row>>,
): AsyncGenerator<Row, void, undefined> {
  let page: Query | undefined = query
  while (page !== undefined) {
    const { data, next }: Page<Row> = await read(page)
    yield* data
    page = next ? { ...query, cursor: next } : undefined
  }
}

/** The hub answers at once when too many requests of a partner wait. */
const EMPTY_PAUSE_MS = 1_000

/** Every event behind `after`, for ever, or up to the newest. */
export async function* eventsOf(
  read: (after: string | undefined) => Promise<EventsDto>,
  { after: first, follow, clock, signal }: EventReading,
): AsyncGenerator<EventsDto['data'][number], void, undefined> {
  let after = first
  for (;;) {
    const askedAtMs = clock.now()
    const { data, next } = await read(after)
    yield* data
    // With `types`, an empty page may have others behind it.
    const isEnd = data.length === 0 && next === after
    if (isEnd && !follow) return
    if (isEnd && clock.now() - askedAtMs < EMPTY_PAUSE_MS) await clock.sleep(EMPTY_PAUSE_MS, signal)
    after = next
  }
}

export interface EventReading {
  after: string | undefined
  follow: boolean
  clock: Clock
  signal: AbortSignal | undefined
}

/** A CSV file, when it is whole: its last line is `# rows,` and their number. */
export function wholeCsv(text: string): string {
  if (!/(^|\n)# rows,\d+\r?\n?$/.test(text)) throw new Error('the file has ended too early')
  return text
}
