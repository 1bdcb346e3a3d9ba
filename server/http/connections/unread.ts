import type { Socket } from 'node:net'

/** A connection, and what it occupies. */
export interface Reader {
  readonly socket: Pick<Socket, 'writableLength' | 'readableLength'>
  /** The network that the connection counts for. */
  readonly countsFor: string | undefined
  /** Received bytes that wait. */
  readonly held: Buffer | undefined
}

/** Bytes that clients have not read, or that wait for their turn. The largest answer has some 200 KB. */
export interface UnreadBounds {
  unreadBytes: number
  /** The same of one network. */
  unreadOfNetwork: number
}

/** The readers with the most unread bytes, so many that the others keep within the bounds: of each network, and in all. */
export function readersBeyond<R extends Reader>(
  readers: Iterable<R>,
  { unreadBytes, unreadOfNetwork }: UnreadBounds,
): Set<R> {
  const beyond = new Set<R>()
  const sizes = [...readers]
    .map((reader) => ({ reader, bytes: unreadBy(reader) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)

  function take(largestFirst: typeof sizes, most: number) {
    let sum = largestFirst.reduce((total, { bytes }) => total + bytes, 0)
    for (const { reader, bytes } of largestFirst) {
      if (sum <= most) return
      sum -= bytes
      beyond.add(reader)
    }
  }

  const counted = sizes.filter(({ reader }) => reader.countsFor !== undefined)
  const byNetwork = Map.groupBy(counted, ({ reader }) => reader.countsFor)
  for (const ofNetwork of byNetwork.values()) take(ofNetwork, unreadOfNetwork)
  take(
    sizes.filter(({ reader }) => !beyond.has(reader)),
    unreadBytes,
  )
  return beyond
}

function unreadBy({ socket, held }: Reader): number {
  return socket.writableLength + socket.readableLength + (held?.length ?? 0)
}
