import type { Storage, StoragePorts } from '../../../server/storage/ports.ts'
import { READS } from '../../../server/storage/writer/storage.ts'

/** How many acts on a storage are under way: while there are any, the event loop has still to turn. */
export interface Calls {
  underWay: number
}

/**
 * The same storage, whose acts are counted while they last. Those that write are answered so many turns after their
 * commit, as when they are carried out in a thread of their own: until then a read shows what nobody was told yet.
 */
export function watched(storage: Storage, calls: Calls, answersLateBy: number): Storage {
  const { wishes, isScrubbed, writesWaiting, ping, close, ...ports } = storage
  const counted = Object.entries(ports).map(([name, port]) => {
    // What the object has are the ports.
    const reads: readonly string[] = READS[name as keyof StoragePorts]
    return [name, countActs(port, calls, (method) => (reads.includes(method) ? 0 : answersLateBy))]
  })
  // Every port is replaced by one of its own shape.
  return { ...(Object.fromEntries(counted) as typeof ports), wishes, isScrubbed, writesWaiting, ping, close }
}

function countActs(port: object, calls: Calls, lateBy: (method: string) => number): object {
  const acts = Object.entries(port).map(([name, act]) => [
    name,
    async (...args: unknown[]) => {
      calls.underWay += 1
      try {
        return await act(...args)
      } finally {
        for (let turn = 0; turn < lateBy(name); turn += 1)
          await new Promise((resolve) => setImmediate(resolve))
        calls.underWay -= 1
      }
    },
  ])
  return Object.fromEntries(acts)
}
