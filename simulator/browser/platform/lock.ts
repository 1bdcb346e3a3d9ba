/** How long another page may take to close before this one says that it waits: a reload takes some milliseconds. */
const PATIENCE_MS = 1_000

/**
 * Resolves when no other page of this browser is the same speaker: two of them would say each payment twice. Calls
 * `waiting` when another one is there. The lock lasts as long as the page, and ends with it, however it ends.
 */
export function ownSpeaker(serial: string, waiting: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(waiting, PATIENCE_MS)
    navigator.locks
      .request(`speaker ${serial}`, () => {
        clearTimeout(timer)
        resolve()
        return new Promise<never>(() => {})
      })
      .catch(reject)
  })
}
