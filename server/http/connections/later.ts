/** Items that go on in one turn of the event loop: everybody else waits for them. */
const AT_ONCE = 4

/** Calls `act` for each item in a later turn of the event loop, once however often it is asked for until then. */
export function createLater<T>(act: (item: T) => void): (item: T) => void {
  /** In the order in which they came. */
  const due = new Set<T>()

  function actOnSome() {
    const now: T[] = []
    for (const item of due) {
      if (now.push(item) === AT_ONCE) break
    }
    for (const item of now) due.delete(item)
    if (due.size > 0) setImmediate(actOnSome)
    now.forEach(act)
  }

  return (item) => {
    if (due.has(item)) return
    due.add(item)
    if (due.size === 1) setImmediate(actOnSome)
  }
}
