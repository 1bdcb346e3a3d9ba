import type { Socket } from 'node:net'
import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'
import { type BucketSize, createTokenBuckets } from '../platform/token-buckets.ts'
import { createParties } from './parties.ts'

/** Why the server closed a connection by itself. */
export const CLOSED_FOR = ['rate', 'network', 'all', 'evicted', 'unread'] as const
export type ClosedFor = (typeof CLOSED_FOR)[number]

/** How many connections there may be, and what they may occupy. */
export interface Bounds {
  /** In all. An idle one occupies some 20 KB. */
  connections: number
  /** Of them, kept for connections without a good token yet: new ones, and health checks. */
  kept: number
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
  kept: 500,
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
  /** A trusted proxy has the connections of everybody behind it: each is its client's while a request is under way. */
  readonly isProxy: boolean
  /** The network that the connection counts for. */
  countsFor: string | undefined
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
  /** A trusted proxy has begun a request of a client in this network; false when the network has too many. */
  begins(guest: G, network: string): boolean
  /** The connection's request is received. */
  works(guest: G): void
  /** The connection's request is answered. */
  rests(guest: G): void
  /** The connection has presented a good token of this partner. */
  isKnown(guest: G, clientId: string): void
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
  const parties = createParties<G>(bounds.kept)
  const partners = createBoundedMap<true>(PARTNER_NETWORKS)
  const accepts = createTokenBuckets(clock, bounds.accepts)
  const acceptsOfPartner = createTokenBuckets(clock, bounds.acceptsOfPartner)

  function leaves(guest: G) {
    if (!guests.delete(guest)) return
    parties.leaves(guest)
    countFor(guest, undefined)
  }

  function countFor(guest: G, network: string | undefined) {
    const before = guest.countsFor
    if (before === network) return
    guest.countsFor = network
    if (network !== undefined) byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1)
    if (before === undefined) return
    const left = (byNetwork.get(before) ?? 0) - 1
    if (left > 0) byNetwork.set(before, left)
    else byNetwork.delete(before)
  }

  function belongsTo(guest: G, clientId: string | undefined) {
    if (guest.clientId === clientId || !guests.has(guest)) return
    const wasWhole = parties.leaves(guest)
    guest.clientId = clientId
    parties.joins(guest, wasWhole)
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

  const isFull = (network: string) => (byNetwork.get(network) ?? 0) >= bounds.ofNetwork

  function whyNot({ network, isProxy }: G): ClosedFor | undefined {
    if (!isProxy) {
      const bucket = partners.get(network) ? acceptsOfPartner : accepts
      if (!bucket.take(network).allowed) return 'rate'
      if (isFull(network)) return 'network'
    }
    if (guests.size < bounds.connections) return undefined
    const first = parties.first()
    if (!first) return 'all'
    cut(first, 'evicted')
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
      parties.joins(guest)
      if (!guest.isProxy) countFor(guest, guest.network)
      return true
    },
    leaves,
    begins(guest, network) {
      if (!guests.has(guest)) return false
      if (guest.countsFor !== network && isFull(network)) {
        cut(guest, 'network')
        return false
      }
      countFor(guest, network)
      parties.isUnfinished(guest)
      return true
    },
    works: parties.isWhole,
    rests(guest) {
      if (guest.isProxy) {
        countFor(guest, undefined)
        belongsTo(guest, undefined)
      }
      parties.isUnfinished(guest)
    },
    isKnown(guest, clientId) {
      belongsTo(guest, clientId)
      if (!guest.isProxy) partners.set(guest.network, true)
    },
    cutUnread() {
      const readers = [...guests]
        .map((guest) => ({ guest, bytes: unreadBy(guest) }))
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => b.bytes - a.bytes)
      const ofNetworks = Map.groupBy(
        readers.filter(({ guest }) => guest.countsFor !== undefined),
        ({ guest }) => guest.countsFor,
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
