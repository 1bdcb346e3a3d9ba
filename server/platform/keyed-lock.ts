/** Serializes calls with the same key, in call order. Calls with different keys run concurrently. */
export interface KeyedLock {
  run<T>(key: string, act: () => Promise<T>): Promise<T>
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>()
  return {
    run<T>(key: string, act: () => Promise<T>): Promise<T> {
      const result = (tails.get(key) ?? Promise.resolve()).then(act)
      const tail = result
        .catch(() => undefined)
        .then(() => {
          if (tails.get(key) === tail) tails.delete(key)
        })
      tails.set(key, tail)
      return result
    },
  }
}
