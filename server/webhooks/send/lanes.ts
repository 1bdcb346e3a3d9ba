import { UNDER_WAY } from './endpoint/concurrency-limit.ts'
import type { Endpoint } from './endpoint/endpoint.ts'

/**
 * Requests under way: the first four of endpoints that are healthy, and of those that are slow or have failed; both of
 * these; and those beyond the first four of fast endpoints.
 */
export const MOST_SOCKETS = { healthy: 500, slow: 200, firsts: 1_500, beyond: 500 }
/** The same of one partner: the first four of its ten webhooks, half of that where places are few, and two at full speed. */
export const MOST_OF_PARTNER = { firsts: 40, slow: 20, beyond: 120 }

type Lane = 'healthy' | 'slow'
type Name = Lane | 'beyond'

/** Endpoints that wait to send, by partner: one of each partner in turn. */
function createLine() {
  const partners = new Map<string, Set<Endpoint>>()
  return {
    partners: () => partners.keys(),
    add(endpoint: Endpoint) {
      const { clientId } = endpoint.webhook
      const waiting = partners.get(clientId) ?? new Set()
      partners.set(clientId, waiting.add(endpoint))
    },
    remove(endpoint: Endpoint) {
      const { clientId } = endpoint.webhook
      const waiting = partners.get(clientId)
      waiting?.delete(endpoint)
      if (waiting?.size === 0) partners.delete(clientId)
    },
    /** The partner's next endpoint. The partner's turn comes again after those of the others. */
    take(clientId: string): Endpoint | undefined {
      const waiting = partners.get(clientId)
      const [endpoint] = waiting ?? []
      partners.delete(clientId)
      if (!waiting || !endpoint) return undefined
      waiting.delete(endpoint)
      if (waiting.size > 0) partners.set(clientId, waiting)
      return endpoint
    },
  }
}

/** Requests that share places, and the endpoints that wait for one. */
class Requests {
  underWay = 0
  readonly line = createLine()
  readonly #ofPartner = new Map<string, number>()

  of(clientId: string): number {
    return this.#ofPartner.get(clientId) ?? 0
  }

  count({ webhook: { clientId } }: Endpoint, by: number) {
    this.underWay += by
    const now = this.of(clientId) + by
    if (now > 0) this.#ofPartner.set(clientId, now)
    else this.#ofPartner.delete(clientId)
  }
}

/**
 * Who may send next. Endpoints that hang have places of their own, so that they never take those of the others: an
 * endpoint moves over after its first second without a reply. What an endpoint has under way beyond the first four requests
 * has places of its own as well: however many fast endpoints use them, and hang with them, all others have their four.
 * In each lane the partners go in turn, and a partner's endpoints among themselves. Requests of a webhook that was deleted
 * count until they end.
 */
export function createLanes() {
  const lanes = { healthy: new Requests(), slow: new Requests(), beyond: new Requests() }
  const laneOf = new WeakMap<Endpoint, Lane>()
  const firsts = () => lanes.healthy.underWay + lanes.slow.underWay
  /** Where the request counts that is the endpoint's `nth`. */
  const laneOfNth = (endpoint: Endpoint, nth: number): Name =>
    nth > UNDER_WAY.least ? 'beyond' : (laneOf.get(endpoint) ?? 'healthy')
  const nextLane = (endpoint: Endpoint) => laneOfNth(endpoint, endpoint.underWay + 1)

  const hasRoom = (name: Name) =>
    lanes[name].underWay < MOST_SOCKETS[name] && (name === 'beyond' || firsts() < MOST_SOCKETS.firsts)

  /** Whether a partner has all its places. */
  function isFull(name: Name, clientId: string): boolean {
    const { healthy, slow, beyond } = lanes
    if (name === 'beyond') return beyond.of(clientId) >= MOST_OF_PARTNER.beyond
    if (name === 'slow' && slow.of(clientId) >= MOST_OF_PARTNER.slow) return true
    return slow.of(clientId) + healthy.of(clientId) >= MOST_OF_PARTNER.firsts
  }

  /** The next endpoint of a partner that has not all its places. */
  function next(name: Name): Endpoint | undefined {
    const { line } = lanes[name]
    for (const clientId of line.partners()) if (!isFull(name, clientId)) return line.take(clientId)
    return undefined
  }

  function wait(endpoint: Endpoint, elapsed: number) {
    if (endpoint.canSend(elapsed)) lanes[nextLane(endpoint)].line.add(endpoint)
  }

  return {
    underWay: () => firsts() + lanes.beyond.underWay,
    /** Looks whether it is slow now, and whether it has something to send. */
    place(endpoint: Endpoint, elapsed: number) {
      const name = endpoint.isSlow(elapsed) ? 'slow' : 'healthy'
      const before = laneOf.get(endpoint)
      if (before !== undefined && before !== name) {
        const moved = Math.min(endpoint.underWay, UNDER_WAY.least)
        lanes[before].count(endpoint, -moved)
        lanes[name].count(endpoint, moved)
        lanes[before].line.remove(endpoint)
      }
      laneOf.set(endpoint, name)
      wait(endpoint, elapsed)
    },
    /** Calls `start` for each endpoint whose turn it is, which begins a request if it can. */
    pump(elapsed: number, start: (endpoint: Endpoint) => boolean) {
      for (const name of ['healthy', 'slow', 'beyond'] as const)
        while (hasRoom(name)) {
          const endpoint = next(name)
          if (!endpoint) break
          // Since it began to wait here, it has got one of its first places back: it waits for that one, too.
          if (nextLane(endpoint) !== name) continue
          if (!start(endpoint)) continue
          lanes[name].count(endpoint, 1)
          wait(endpoint, elapsed)
        }
    },
    /** A request of it is over. Called before the endpoint knows. */
    ended(endpoint: Endpoint) {
      lanes[laneOfNth(endpoint, endpoint.underWay)].count(endpoint, -1)
    },
    /** It sends no more. What is under way still counts. */
    forget(endpoint: Endpoint) {
      for (const { line } of Object.values(lanes)) line.remove(endpoint)
    },
  }
}
