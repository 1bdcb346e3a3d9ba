/** A process that may stand still, as one that the machine gives no time: what comes waits, and happens when it goes on. */
export interface Freezer {
  isAlive(): boolean
  isFrozen(): boolean
  freeze(): void
  /** Goes on. What has waited happens, in the order in which it came. */
  thaw(): void
  /** Ends it: what waits is dropped. From here on its code reaches nobody: its timers stop, and its packets go nowhere. */
  kill(): void
  /** Runs `act` now, or when it goes on. */
  whenAwake(act: () => void, dropped?: () => void): void
}

export function createFreezer(): Freezer {
  let waiting: { act: () => void; dropped: () => void }[] | undefined
  let isAlive = true

  function end(): { act: () => void; dropped: () => void }[] {
    const waited = waiting ?? []
    waiting = undefined
    return waited
  }

  return {
    isAlive: () => isAlive,
    isFrozen: () => waiting !== undefined,
    freeze() {
      if (isAlive) waiting ??= []
    },
    thaw() {
      for (const { act, dropped } of end())
        if (isAlive) act()
        else dropped()
    },
    kill() {
      isAlive = false
      for (const { dropped } of end()) dropped()
    },
    whenAwake(act, dropped = () => undefined) {
      if (!isAlive) dropped()
      else if (waiting) waiting.push({ act, dropped })
      else act()
    },
  }
}
