import type { Storage } from '../../../server/storage/ports.ts'
import { writingActs } from '../../../server/storage/writer/acts.ts'
import type { Cable } from './cable.ts'

/** How many acts on a storage are under way: while there are any, the event loop has still to turn. */
export interface Calls {
  underWay: number
}

/**
 * The same storage, whose acts are counted while they last. Those that write are answered so many turns after their
 * commit, as when they are carried out in a thread of their own: until then a read shows what nobody was told yet.
 * `cable`: the way to a storage that hubs share.
 */
export function watched(storage: Storage, calls: Calls, answersLateBy: number, cable?: Cable): Storage {
  const { changes, writesWaiting, ping, close, lists, ...ports } = storage
  const writes = writingActs(storage)
  const counted = Object.entries(ports).map(([name, port]) => [
    name,
    countActs(port, calls, (method) => writes.has(`${name}.${method}`), { answersLateBy, cable }),
  ])
  // Every port is replaced by one of its own shape.
  return { ...(Object.fromEntries(counted) as typeof ports), changes, writesWaiting, ping, close, lists }
}

function countActs(
  port: object,
  calls: Calls,
  isWrite: (method: string) => boolean,
  { answersLateBy, cable }: { answersLateBy: number; cable: Cable | undefined },
): object {
  const acts = Object.entries(port).map(([name, act]) => [
    name,
    async (...args: unknown[]) => {
      calls.underWay += 1
      try {
        if (cable) await cable.out()
        try {
          return await act(...args)
        } finally {
          for (let turn = 0; turn < (isWrite(name) ? answersLateBy : 0); turn += 1)
            await new Promise((resolve) => setImmediate(resolve))
          if (cable) await cable.back(isWrite(name))
        }
      } finally {
        calls.underWay -= 1
      }
    },
  ])
  return Object.fromEntries(acts)
}
