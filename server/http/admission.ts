import type { Socket } from 'node:net'
import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'
import { type BucketSize, createTokenBuckets } from '../platform/token-buckets.ts'

/** Why the server closed a connection by itself. */
export const CLOSED_FOR = ['rate', 'network', 'all', 'evicted', 'unread'] as const
export type ClosedFor = (typeof CLOSED_FOR)[number]

/** How many connections there may be, and what they may occupy. */
export interface Bounds {
  /** In all. An idle one occupies some 20 KB. */
  connections: number
  /** Of one network: a partner's servers behind one address need fewer. */
  ofNetwork: number
  /** New ones of one network in a second: each costs as much as an answer. */
  accepts: BucketSize
  /** The same for a network that has shown a good token: partners may open a connection for each callback. */
  acceptsOfPartner: BucketSize
  /** Bytes that clients have not read, or that wait for their turn. The largest answer has some 200 KB. */
  unreadBytes: number
  /** The same of one network. */
  unreadOfNetwork: number
}

export const BOUNDS: Bounds = {
  connections: 5_000,
  ofNetwork: 500,
  accepts: { perSecond: 100, burst: 500 },
  acceptsOfPartner: { perSecond: 1_000, burst: 2_000 },
  unreadBytes: 64 * 1024 * 1024,
  unreadOfNetwork: 16 * 1024 * 1024,
}

/** Networks of partners kept in memory; beyond it, the one that was seen longest ago counts as a stranger's again. */
const PARTNER_NETWORKS = 10_000

/** What the bounds look at. */
export interface Guest {
  readonly socket: Socket
  readonly network: string
  /** A trusted proxy has the connections of everybody behind it: only the bounds in all hold for it. */
  readonly isProxy: boolean
  /** The partner of the last good token. */
  clientId: string | undefined
  /** Received bytes that wait. */
  held: Buffer | undefined
}

/** Says which connections stand. */
export interface Admission<G extends Guest> {
  /** Admits a new connection; false when it must be closed. May close another one for it. */
  admits(guest: G): boolean
  leaves(guest: G): void
  /** The connection has a request under way. */
  works(guest: G): void
  /** The connection waits for a request. */
  rests(guest: G): void
  /** The connection has presented a good token. */
  isKnown(guest: G): void
  /** Closes the connections with the most unread bytes until the bounds hold: of each network, and in all. */
  cutUnread(): void
  count(): number
}

export function createAdmission<G extends Guest>(
  clock: Clock,
  bounds: Bounds,
  closed: (reason: ClosedFor) => void,
): Admission<G> {
  const guests = new Set<G>()
  const byNetwork = new Map<string, number>()
  /** The idle strangers, the longest idle first. */
  const idle = new Set<G>()
  const partners = createBoundedMap<true>(PARTNER_NETWORKS)
  const accepts = createTokenBuckets(clock, bounds.accepts)
  const acceptsOfPartner = createTokenBuckets(clock, bounds.acceptsOfPartner)

  function leaves(guest: G) {
    if (!guests.delete(guest)) return
    idle.delete(guest)
    const left = (byNetwork.get(guest.network) ?? 0) - 1
    if (left > 0) byNetwork.set(guest.network, left)
    else byNetwork.delete(guest.network)
  }

  /** Cuts the first of `readers`, which have the most unread bytes, until all together have at most `most`. */
  function cutLargest(readers: readonly { guest: G; bytes: number }[], most: number) {
    let sum = readers.reduce((total, { bytes }) => total + bytes, 0)
    for (const { guest, bytes } of readers) {
      if (sum <= most) return
      sum -= bytes
      cut(guest, 'unread')
    }
  }

  function cut(guest: G, reason: ClosedFor) {
    closed(reason)
    leaves(guest)
    guest.socket.destroy()
  }

  function whyNot({ network, isProxy }: G): ClosedFor | undefined {
    if (!isProxy) {
      const bucket = partners.get(network) ? acceptsOfPartner : accepts
      if (!bucket.take(network).allowed) return 'rate'
      if ((byNetwork.get(network) ?? 0) >= bounds.ofNetwork) return 'network'
    }
    if (guests.size < bounds.connections) return undefined
    const [longestIdle] = idle
    if (!longestIdle) return 'all'
    cut(longestIdle, 'evicted')
    return undefined
  }

  return {
    admits(guest) {
      const reason = whyNot(guest)
      if (reason !== undefined) {
        closed(reason)
        return false
      }
      guests.add(guest)
      idle.add(guest)
      byNetwork.set(guest.network, (byNetwork.get(guest.network) ?? 0) + 1)
      return true
    },
    leaves,
    works(guest) {
      if (guest.clientId === undefined) idle.delete(guest)
    },
    rests(guest) {
      if (guest.clientId === undefined && guests.has(guest)) idle.add(guest)
    },
    isKnown(guest) {
      idle.delete(guest)
      if (!guest.isProxy) partners.set(guest.network, true)
    },
    cutUnread() {
      const readers = [...guests]
        .map((guest) => ({ guest, bytes: unreadBy(guest) }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes)
      const ofNetworks = Map.groupBy(
        readers.filter(({ guest }) => !guest.isProxy),
        ({ guest }) => guest.network,
      )
      for (const ofNetwork of ofNetworks.values()) cutLargest(ofNetwork, bounds.unreadOfNetwork)
      const others = readers.filter(({ guest }) => guests.has(guest))
      cutLargest(others, bounds.unreadBytes)
    },
    count: () => guests.size,
  }
}

function unreadBy({ socket, held }: Guest): number {
  return socket.writableLength + socket.readableLength + (held?.length ?? 0)
}
