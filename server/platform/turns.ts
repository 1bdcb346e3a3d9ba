export type Turns = ReturnType<typeof createTurns>

/** Gives a bounded number of slots to owners in turn: an owner with many tasks leaves every other owner its turn. */
export function createTurns(slots: number) {
  let free = slots
  let waiting = 0
  /** The waiting tasks by owner. The first owner of the map is the next. */
  const queues = new Map<string, (() => void)[]>()

  /** A task may call `release` while it starts. The loop in `startWaiting` then starts the next one, without recursion. */
  let isStarting = false

  function startNext() {
    if (isStarting) return
    isStarting = true
    try {
      startWaiting()
    } finally {
      isStarting = false
    }
  }

  function startWaiting() {
    while (free > 0 && waiting > 0) {
      const [next] = queues
      if (!next) return
      const [owner, tasks] = next
      const start = tasks.shift()
      // To the end of the map: every other owner comes before its next task.
      queues.delete(owner)
      if (tasks.length > 0) queues.set(owner, tasks)
      if (!start) continue
      waiting -= 1
      free -= 1
      start()
    }
  }

  return {
    /** Calls `start` at the owner's turn: at once while a slot is free. The task then holds the slot until `release`. */
    take(owner: string, start: () => void) {
      if (free > 0 && waiting === 0) {
        free -= 1
        return start()
      }
      const tasks = queues.get(owner)
      if (tasks) tasks.push(start)
      else queues.set(owner, [start])
      waiting += 1
      startNext()
    },
    /** Gives a slot back, and starts the next task. */
    release() {
      free += 1
      startNext()
    },
    /** Tasks that wait for a slot. */
    waiting: () => waiting,
  }
}
