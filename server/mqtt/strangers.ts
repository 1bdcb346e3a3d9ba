import { networkOf } from '../platform/net/address.ts'

/**
 * Connections without a CONNECT, in all and from one network. Each holds a file descriptor, of which a process often
 * has 16,000. After a power cut a thousand speakers behind one address get in: each is known within milliseconds.
 * Connections with a good CONNECT need no bound: there is one for each device of the operator.
 */
export const MOST_STRANGERS = { all: 4_000, ofNetwork: 1_000 } as const

/** The connections that have not said yet who they are. */
export interface Strangers {
  /**
   * Adds a connection. When there are too many, the oldest gives way: `end` is called. The returned function is called
   * when the connection has said who it is, or has ended.
   */
  add(address: string, end: () => void): () => void
  /** Ends all. */
  endAll(): void
}

interface Stranger {
  network: string
  end(): void
}

export function createStrangers(most: { all: number; ofNetwork: number } = MOST_STRANGERS): Strangers {
  /** Both in the order in which they came. */
  const all = new Set<Stranger>()
  const byNetwork = new Map<string, Set<Stranger>>()

  function remove(stranger: Stranger) {
    all.delete(stranger)
    const others = byNetwork.get(stranger.network)
    others?.delete(stranger)
    if (others?.size === 0) byNetwork.delete(stranger.network)
  }

  function giveWay([oldest]: Iterable<Stranger>) {
    if (!oldest) return
    remove(oldest)
    oldest.end()
  }

  return {
    add(address, end) {
      const stranger = { network: networkOf(address), end }
      const others = byNetwork.get(stranger.network) ?? new Set()
      byNetwork.set(stranger.network, others.add(stranger))
      all.add(stranger)
      if (others.size > most.ofNetwork) giveWay(others)
      else if (all.size > most.all) giveWay(all)
      return () => remove(stranger)
    },
    endAll() {
      for (const stranger of [...all]) giveWay([stranger])
    },
  }
}
