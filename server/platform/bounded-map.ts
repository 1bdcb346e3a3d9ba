/** A map with a limit: beyond it, `set` drops the entry that was set longest ago. */
export function createBoundedMap<V>(limit: number) {
  const entries = new Map<string, V>()
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: V) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= limit) return
      const [oldest] = entries.keys()
      if (oldest !== undefined) entries.delete(oldest)
    },
    clear: () => entries.clear(),
  }
}
