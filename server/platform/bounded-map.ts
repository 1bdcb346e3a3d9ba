/** A map with a limit: beyond it, `set` drops the entry that was set longest ago. */
export interface BoundedMap<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  clear(): void
}

export function createBoundedMap<V>(limit: number): BoundedMap<V> {
  const entries = new Map<string, V>()
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= limit) return
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    },
    clear: () => entries.clear(),
  }
}
