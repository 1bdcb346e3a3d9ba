import { once } from 'node:events'
import type { Client, Connection, Submittable } from 'pg'

/** Rows are sent when there are so many bytes of them. A row is much shorter. */
const CHUNK_BYTES = 64 * 1024
const ROOM_BYTES = 2 * CHUNK_BYTES
/** Of a message of the protocol: its type, and its length without the type. */
const [TYPE_BYTES, LENGTH_BYTES] = [1, 4]
const [COPY_DATA, COPY_DONE] = [0x64, 0x63]
/** COPY's binary format: a signature, flags, no extension of the header; at the end a row of -1 columns. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const NO_ROW = -1
const NULL_LENGTH = -1

/** A number is a bigint of PostgreSQL. */
export type Value = number | string | Buffer | null

/** A COPY under way. */
export interface Copy {
  add(row: readonly Value[]): void
  /** Resolves when the server has taken what was added, but for what its connection buffers. Rejects if COPY has failed. */
  taken(): Promise<void>
  end(): Promise<void>
}

/** Begins a COPY of these columns into a table, in the binary format. The connection is free again at its end. */
export async function startCopy(
  client: Client,
  table: string,
  columns: readonly string[],
  option = '',
): Promise<Copy> {
  const query = new CopyQuery(`COPY ${table} (${columns.join()}) FROM STDIN (FORMAT binary${option})`)
  client.query(query)
  const { stream } = await query.begun
  const { add, flush } = createMessages((message) => stream.write(message))
  return {
    add,
    async taken() {
      if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), query.ended])
    },
    async end() {
      flush()
      stream.write(Buffer.from([COPY_DONE, 0, 0, 0, LENGTH_BYTES]))
      await query.ended
    },
  }
}

/** Packs rows into messages of the protocol. */
export function createMessages(send: (message: Buffer) => void) {
  const start = TYPE_BYTES + LENGTH_BYTES
  let buffer = Buffer.allocUnsafe(ROOM_BYTES)
  let end = start + HEADER.copy(buffer, start)

  function addValue(value: Value) {
    if (value === null) {
      end = buffer.writeInt32BE(NULL_LENGTH, end)
    } else if (typeof value === 'number') {
      end = buffer.writeInt32BE(8, end)
      end = buffer.writeInt32BE(Math.floor(value / 2 ** 32), end)
      end = buffer.writeUInt32BE(value % 2 ** 32, end)
    } else {
      const from = end + LENGTH_BYTES
      const length = typeof value === 'string' ? buffer.write(value, from) : value.copy(buffer, from)
      buffer.writeInt32BE(length, end)
      end = from + length
    }
  }

  function sendAll() {
    buffer[0] = COPY_DATA
    buffer.writeInt32BE(end - TYPE_BYTES, TYPE_BYTES)
    send(buffer.subarray(0, end))
    // The stream may hold the one before.
    buffer = Buffer.allocUnsafe(ROOM_BYTES)
    end = start
  }

  return {
    /** Numbers must be 0 or higher. */
    add(row: readonly Value[]) {
      end = buffer.writeInt16BE(row.length, end)
      for (const value of row) addValue(value)
      if (end >= CHUNK_BYTES) sendAll()
    },
    flush() {
      end = buffer.writeInt16BE(NO_ROW, end)
      sendAll()
    },
  }
}

/** What the client calls when the server answers. */
class CopyQuery implements Submittable {
  readonly #text: string
  readonly #begun = Promise.withResolvers<Connection>()
  readonly #ended = Promise.withResolvers<void>()

  constructor(text: string) {
    this.#text = text
    // Who waits for one of them may not wait for the other.
    for (const promise of [this.begun, this.ended]) promise.catch(() => undefined)
  }

  get begun() {
    return this.#begun.promise
  }

  get ended() {
    return this.#ended.promise
  }

  submit(connection: Connection) {
    connection.query(this.#text)
  }

  handleCopyInResponse(connection: Connection) {
    this.#begun.resolve(connection)
  }

  handleCommandComplete() {
    // ReadyForQuery follows.
  }

  handleReadyForQuery() {
    this.#ended.resolve()
  }

  handleError(error: Error) {
    this.#begun.reject(error)
    this.#ended.reject(error)
  }
}
