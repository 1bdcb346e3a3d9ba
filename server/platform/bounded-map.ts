/** A map that forgets the entry set longest ago beyond its limit, so that what is remembered has bounds. */
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
      const [longest] = entries.keys()
      if (longest !== undefined) entries.delete(longest)
    },
    clear: () => entries.clear(),
  }
}
