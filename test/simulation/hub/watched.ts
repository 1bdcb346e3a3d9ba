import type { Storage } from '../../../server/storage/storage.ts'

/** How many acts on a storage are under way: while there are any, the event loop has still to turn. */
export interface Calls {
  underWay: number
}

/** The same storage, whose acts are counted while they last. */
export function watched(storage: Storage, calls: Calls): Storage {
  const { wishes, isScrubbed, ping, close, ...ports } = storage
  const counted = Object.entries(ports).map(([name, port]) => [name, countActs(port, calls)])
  // Every port is replaced by one of its own shape.
  return { ...(Object.fromEntries(counted) as typeof ports), wishes, isScrubbed, ping, close }
}

function countActs(port: object, calls: Calls): object {
  const acts = Object.entries(port).map(([name, act]) => [
    name,
    async (...args: unknown[]) => {
      calls.underWay += 1
      try {
        return await act(...args)
      } finally {
        calls.underWay -= 1
      }
    },
  ])
  return Object.fromEntries(acts)
}
