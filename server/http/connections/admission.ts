import type { Socket } from 'node:net'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import type { Clock } from '../../platform/clock.ts'
import { type BucketSize, createTokenBuckets, type TokenBuckets } from '../../platform/token-buckets.ts'
import { type Reader, readersBeyond, type UnreadBounds } from './unread.ts'

/** Why the server closed a connection by itself. */
export type ClosedFor = 'rate' | 'network' | 'all' | 'evicted' | 'unread'

/** How many connections there may be, and what they may occupy. */
export interface Bounds extends UnreadBounds {
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
export interface Guest extends Reader {
  readonly socket: Pick<Socket, 'writableLength' | 'readableLength' | 'destroy'>
  readonly network: string
  /** A trusted proxy has the connections of everybody behind it: each is its client's while a request is under way. */
  readonly isProxy: boolean
  countsFor: string | undefined
  /** The partner of the last good token. */
  clientId: string | undefined
}

/** The connections that stand, within the bounds. */
export class Admission<G extends Guest> {
  readonly #bounds: Bounds
  readonly #onClosed: (reason: ClosedFor) => void
  readonly #guests = new Set<G>()
  readonly #byNetwork = new Map<string, number>()
  readonly #parties: ReturnType<typeof createParties<G>>
  readonly #partnerNetworks = createBoundedMap<true>(PARTNER_NETWORKS)
  readonly #accepts: TokenBuckets
  readonly #acceptsOfPartner: TokenBuckets

  constructor(clock: Clock, bounds: Bounds, onClosed: (reason: ClosedFor) => void) {
    this.#bounds = bounds
    this.#onClosed = onClosed
    this.#parties = createParties<G>(bounds.kept)
    this.#accepts = createTokenBuckets(clock, bounds.accepts)
    this.#acceptsOfPartner = createTokenBuckets(clock, bounds.acceptsOfPartner)
  }

  get count(): number {
    return this.#guests.size
  }

  /** Admits a new connection; false when it must be closed. May close another one for it. */
  admits(guest: G): boolean {
    const reason = this.#boundOfNetwork(guest) ?? this.#makeRoom()
    if (reason !== undefined) {
      this.#onClosed(reason)
      return false
    }
    this.#guests.add(guest)
    this.#parties.joins(guest)
    if (!guest.isProxy) this.#countFor(guest, guest.network)
    return true
  }

  leaves(guest: G) {
    if (!this.#guests.delete(guest)) return
    this.#parties.leaves(guest)
    this.#countFor(guest, undefined)
  }

  /** A trusted proxy has begun a request of a client in this network; false when the network has too many. */
  beginsFor(guest: G, network: string): boolean {
    if (!this.#guests.has(guest)) return false
    if (guest.countsFor !== network && this.#isFull(network)) {
      this.#cut(guest, 'network')
      return false
    }
    this.#countFor(guest, network)
    this.#parties.startsOver(guest)
    return true
  }

  /** The connection's request is received as a whole. */
  requestReceived(guest: G) {
    this.#parties.requestReceived(guest)
  }

  requestAnswered(guest: G) {
    if (guest.isProxy) {
      this.#countFor(guest, undefined)
      this.#moveTo(guest, undefined)
    }
    this.#parties.startsOver(guest)
  }

  /** The connection has presented a good token of this partner. */
  belongsTo(guest: G, clientId: string) {
    this.#moveTo(guest, clientId)
    if (!guest.isProxy) this.#partnerNetworks.set(guest.network, true)
  }

  /** Closes the connections with the most unread bytes until the bounds hold. */
  cutUnread() {
    for (const guest of readersBeyond(this.#guests, this.#bounds)) this.#cut(guest, 'unread')
  }

  #boundOfNetwork({ network, isProxy }: G): ClosedFor | undefined {
    if (isProxy) return undefined
    const bucket = this.#partnerNetworks.get(network) ? this.#acceptsOfPartner : this.#accepts
    if (!bucket.take(network).allowed) return 'rate'
    return this.#isFull(network) ? 'network' : undefined
  }

  #makeRoom(): ClosedFor | undefined {
    if (this.#guests.size < this.#bounds.connections) return undefined
    const evicted = this.#parties.nextToGiveWay()
    if (!evicted) return 'all'
    this.#cut(evicted, 'evicted')
    return undefined
  }

  #cut(guest: G, reason: ClosedFor) {
    this.#onClosed(reason)
    this.leaves(guest)
    guest.socket.destroy()
  }

  #isFull(network: string): boolean {
    return (this.#byNetwork.get(network) ?? 0) >= this.#bounds.ofNetwork
  }

  #countFor(guest: G, network: string | undefined) {
    const before = guest.countsFor
    if (before === network) return
    guest.countsFor = network
    if (network !== undefined) this.#byNetwork.set(network, (this.#byNetwork.get(network) ?? 0) + 1)
    if (before === undefined) return
    const left = (this.#byNetwork.get(before) ?? 0) - 1
    if (left > 0) this.#byNetwork.set(before, left)
    else this.#byNetwork.delete(before)
  }

  #moveTo(guest: G, clientId: string | undefined) {
    if (guest.clientId === clientId || !this.#guests.has(guest)) return
    const wasWhole = this.#parties.leaves(guest)
    guest.clientId = clientId
    this.#parties.joins(guest, wasWhole)
  }
}

/** The connections of one partner, or of all strangers. Both in the order in which they came to be so. */
interface Party<G> {
  /** Their next request has not been received as a whole: idle, or with slow headers or a slow body. */
  readonly unfinished: Set<G>
  /** Their request is received, and not answered yet. */
  readonly whole: Set<G>
}

/**
 * Says who gives way when there are too many connections: of the strangers, or of the partner that has the most, the one
 * that has been unfinished for longest. Partners beyond their share leave `kept` places to strangers: everybody is one
 * until a token is checked, and so is every health check.
 */
function createParties<G extends Guest>(kept: number) {
  const strangers = newParty<G>()
  const partners = new Map<string, Party<G>>()

  const partyOf = ({ clientId }: G) => (clientId === undefined ? strangers : partners.get(clientId))

  function largestPartner(): Party<G> | undefined {
    let largest: Party<G> | undefined
    // Nobody's last connection gives way.
    let most = 1
    for (const party of partners.values()) {
      if (sizeOf(party) <= most) continue
      most = sizeOf(party)
      largest = party
    }
    return largest
  }

  return {
    joins(guest: G, isWhole = false) {
      const party = partyOf(guest) ?? newParty<G>()
      if (guest.clientId !== undefined) partners.set(guest.clientId, party)
      ;(isWhole ? party.whole : party.unfinished).add(guest)
    },
    /** True when its request was whole. */
    leaves(guest: G): boolean {
      const party = partyOf(guest)
      if (!party) return false
      party.unfinished.delete(guest)
      const wasWhole = party.whole.delete(guest)
      if (guest.clientId !== undefined && sizeOf(party) === 0) partners.delete(guest.clientId)
      return wasWhole
    },
    requestReceived(guest: G) {
      const party = partyOf(guest)
      if (party?.unfinished.delete(guest)) party.whole.add(guest)
    },
    /** From now on it is unfinished, behind all others. */
    startsOver(guest: G) {
      const party = partyOf(guest)
      if (party?.whole.delete(guest) || party?.unfinished.delete(guest)) party.unfinished.add(guest)
    },
    nextToGiveWay(): G | undefined {
      const beyond = sizeOf(strangers) < kept ? largestPartner() : undefined
      const { unfinished, whole } = beyond ?? strangers
      const [first] = unfinished.size > 0 ? unfinished : whole
      return first
    },
  }
}

function newParty<G>(): Party<G> {
  return { unfinished: new Set(), whole: new Set() }
}

function sizeOf({ unfinished, whole }: Party<unknown>): number {
  return unfinished.size + whole.size
}
