import type { Endpoint } from './endpoint/endpoint.ts'

/** Requests under way: of endpoints that are healthy, of those that are slow or have failed, and of both. */
const MOST_SOCKETS = { healthy: 500, slow: 200, all: 1_500 }
/** The same of one partner: ten webhooks with four requests each, in both lanes, and half of that where places are few. */
export const MOST_OF_PARTNER = { all: 40, slow: 20 }

type Name = 'healthy' | 'slow'

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

/**
 * Who may send next. Endpoints that hang have places of their own, so that they never take those of the others: an
 * endpoint moves over after its first second without a reply. In each lane the partners go in turn, and a partner's
 * endpoints among themselves. Requests of a webhook that was deleted count until they end.
 */
export function createLanes() {
  const createLane = () => ({ underWay: 0, ofPartner: new Map<string, number>(), line: createLine() })
  const lanes = { healthy: createLane(), slow: createLane() }
  const laneOf = new WeakMap<Endpoint, Name>()

  function hasRoom(name: Name): boolean {
    return (
      lanes[name].underWay < MOST_SOCKETS[name] &&
      lanes.healthy.underWay + lanes.slow.underWay < MOST_SOCKETS.all
    )
  }

  function count(name: Name, endpoint: Endpoint, by: number) {
    const { clientId } = endpoint.webhook
    const { ofPartner } = lanes[name]
    lanes[name].underWay += by
    const now = (ofPartner.get(clientId) ?? 0) + by
    if (now > 0) ofPartner.set(clientId, now)
    else ofPartner.delete(clientId)
  }

  /** The next endpoint of a partner that has not all its places. */
  function next(name: Name): Endpoint | undefined {
    const { line } = lanes[name]
    for (const clientId of line.partners()) {
      const slow = lanes.slow.ofPartner.get(clientId) ?? 0
      const all = slow + (lanes.healthy.ofPartner.get(clientId) ?? 0)
      const isFull = all >= MOST_OF_PARTNER.all || (name === 'slow' && slow >= MOST_OF_PARTNER.slow)
      if (!isFull) return line.take(clientId)
    }
    return undefined
  }

  return {
    underWay: () => lanes.healthy.underWay + lanes.slow.underWay,
    /** Looks whether it is slow now, and whether it has something to send. */
    place(endpoint: Endpoint, elapsed: number) {
      const name = endpoint.isSlow(elapsed) ? 'slow' : 'healthy'
      const before = laneOf.get(endpoint)
      if (before !== undefined && before !== name) {
        count(before, endpoint, -endpoint.underWay)
        count(name, endpoint, endpoint.underWay)
        lanes[before].line.remove(endpoint)
      }
      laneOf.set(endpoint, name)
      if (endpoint.canSend(elapsed)) lanes[name].line.add(endpoint)
    },
    /** Calls `start` for each endpoint whose turn it is, which begins a request if it can. */
    pump(elapsed: number, start: (endpoint: Endpoint) => boolean) {
      for (const name of ['healthy', 'slow'] as const)
        while (hasRoom(name)) {
          const endpoint = next(name)
          if (!endpoint) break
          if (!start(endpoint)) continue
          count(name, endpoint, 1)
          if (endpoint.canSend(elapsed)) lanes[name].line.add(endpoint)
        }
    },
    /** A request of it is over. Called before the endpoint knows. */
    ended(endpoint: Endpoint) {
      const name = laneOf.get(endpoint)
      if (name) count(name, endpoint, -1)
    },
    /** It sends no more. What is under way still counts. */
    forget(endpoint: Endpoint) {
      for (const { line } of Object.values(lanes)) line.remove(endpoint)
    },
  }
}
