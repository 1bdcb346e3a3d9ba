import type { Duplex } from 'node:stream'
import { createBoundedMap } from '../platform/bounded-map.ts'
import { networkOf } from '../platform/net/address.ts'

/** Places for connections on which no device has logged in. */
export interface Places {
  /** From networks in which a device has logged in before. */
  ofDevices: number
  /** From all other networks. */
  others: number
  /** From trusted proxies that have not named the client yet. */
  ofProxies: number
}

/**
 * Each kind has room for what one network may open at once. Each connection holds a file descriptor, of which a process often has
 * 16,000, and memory. Measured with 4,000 of a kind: 10 kB over TCP without a byte, 13 kB with half a CONNECT, 16 kB over
 * WebSocket; over TLS 23 kB without a byte, 50 kB after the handshake, and 73 kB within it. So all places together take at
 * most 310 MB. Garbage adds to that: a flood of 2,000 connections a second over TCP takes a hub of 190 MB to 460 MB, where
 * it stays. Devices that have logged in need no bound: each has one connection.
 */
export const PLACES: Places = { ofDevices: 2_000, others: 2_000, ofProxies: 2_000 }

/** Networks of devices kept in memory; beyond it, the one whose last login is the oldest is dropped. */
const DEVICE_NETWORKS = 50_000

/** A connection on which no device has logged in. */
export interface Stranger {
  /** A device has logged in. */
  loggedIn(): void
  /** The connection has ended, or its client is known now. */
  leaves(): void
}

type Closable = Pick<Duplex, 'destroy'>

interface Place {
  readonly socket: Closable
  readonly address: string
  readonly network: string
}

/**
 * Bounds the connections on which no device has logged in. Calls `gaveWay` for each that it destroys for a newer one.
 *
 * Why networks of devices have places of their own: a speaker that comes back does not compete with strangers, from
 * however many networks they come.
 */
export function createStrangers(gaveWay: (address: string) => void, places: Places = PLACES) {
  const deviceNetworks = createBoundedMap<true>(DEVICE_NETWORKS)
  const giveWay = ({ socket, address }: Place) => {
    socket.destroy()
    gaveWay(address)
  }
  const ofDevices = createTable(places.ofDevices, giveWay)
  const others = createTable(places.others, giveWay)
  const ofProxies = createTable(places.ofProxies, giveWay)

  return {
    add(socket: Closable, address: string): Stranger {
      // A /48 has 65,536 networks as other limits count them, and anybody can get one.
      const network = networkOf(address, 48)
      const leaves = (deviceNetworks.get(network) ? ofDevices : others).add({ socket, address, network })
      const loggedIn = () => {
        deviceNetworks.set(network, true)
        leaves()
      }
      return { loggedIn, leaves }
    },
    /** The client is behind this proxy, which has not named it yet. The returned function takes it out. */
    addBehind: (proxy: string, socket: Closable) =>
      ofProxies.add({ socket, address: proxy, network: networkOf(proxy) }),
    destroyAll() {
      for (const table of [ofDevices, others, ofProxies])
        for (const { socket } of table.all()) socket.destroy()
    },
  }
}

/**
 * A table with so many places. When it is full, the network that has the most gives way, by its oldest connection: so a
 * network with a few never pays for one with many. Among equal ones it is the network that has had so many for longest.
 */
function createTable(most: number, giveWay: (place: Place) => void) {
  /** In the order in which they came. */
  const byNetwork = new Map<string, Set<Place>>()
  /** At n, the networks with n places, in the order in which they came to have so many. The last one is not empty. */
  const bySize: Set<string>[] = []
  let count = 0

  function resize(network: string, from: number, to: number) {
    count += to - from
    bySize[from]?.delete(network)
    if (to > 0) bySize[to] = (bySize[to] ?? new Set()).add(network)
    else byNetwork.delete(network)
    while (bySize.at(-1)?.size === 0) bySize.pop()
  }

  function remove(place: Place) {
    const places = byNetwork.get(place.network)
    if (places?.delete(place)) resize(place.network, places.size + 1, places.size)
  }

  function first(): Place | undefined {
    const [network = ''] = bySize.at(-1) ?? []
    const [place] = byNetwork.get(network) ?? []
    return place
  }

  return {
    /** The returned function takes it out. */
    add(place: Place): () => void {
      const places = byNetwork.get(place.network) ?? new Set()
      byNetwork.set(place.network, places.add(place))
      resize(place.network, places.size - 1, places.size)
      const oldest = count > most ? first() : undefined
      if (oldest) {
        remove(oldest)
        giveWay(oldest)
      }
      return () => remove(place)
    },
    all: () => [...byNetwork.values()].flatMap((places) => [...places]),
  }
}
