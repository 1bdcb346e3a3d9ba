import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { type CsvColumns, csvParts } from '../../platform/lists/csv.ts'
import type { HttpEnv } from './env.ts'

/** Whether the client would rather have a list as a file. JSON is the answer to everything else. */
export function wantsCsv(c: Context<HttpEnv>): boolean {
  c.header('Vary', 'Accept')
  const supports = ['application/json', 'text/csv']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/csv'
}

interface CsvFile<Row> {
  name: string
  columns: CsvColumns<Row>
  /** Read as the client takes them. */
  pages: AsyncIterable<readonly Row[]>
  /** The file begins with a byte order mark. */
  bom?: boolean | undefined
}

const BYTE_ORDER_MARK = '\ufeff'

/**
 * Answers with a file of all rows. Its parts are read as the client takes them, so it needs the memory of a few parts
 * whatever its length. A client that stops reading is cut off by the server's timeout, and ends the reading. A failure, or
 * a hub that stops, breaks the answer off before its last line.
 */
export async function csvResponse<Row>(
  c: Context<HttpEnv>,
  { name, columns, pages, bom = false }: CsvFile<Row>,
  isStopping: () => boolean,
): Promise<Response> {
  const parts = csvParts(columns, pages)
  const encoder = new TextEncoder()
  // A storage that can't be read is an error while there is no answer yet.
  const first = bom ? [{ value: BYTE_ORDER_MARK, done: false }] : []
  const ready = [...first, await parts.next(), await parts.next()]
  let isGone = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A search that finds little has many empty parts: neither a client that has gone nor a hub that stops waits for them.
      while (!isGone) {
        if (isStopping()) throw new Error('the hub stops')
        const part = ready.shift() ?? (await parts.next())
        if (part.value === '') continue
        if (isGone) return
        if (part.done) controller.close()
        else controller.enqueue(encoder.encode(part.value))
        return
      }
    },
    async cancel() {
      isGone = true
      await parts.return()
    },
  })
  return c.body(body, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}"`,
  })
}
