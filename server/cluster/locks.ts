import type { KeyedLock } from '../platform/keyed-lock.ts'

/** Without another hub, nobody else takes the lock. */
export const NO_LOCKS: KeyedLock = { run: (_key, act) => act() }

/** Takes the hub's own lock first: calls of one hub wait in memory, in their order. */
export function inTurn(own: KeyedLock, overHubs: KeyedLock): KeyedLock {
  return { run: (key, act) => own.run(key, () => overHubs.run(key, act)) }
}
