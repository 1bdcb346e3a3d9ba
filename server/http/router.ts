import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Hono's router for any set of paths, which remembers what it has found for paths without parameters. There are as
 * many of those as routes, and of methods as Node knows, so that what is remembered has bounds.
 *
 * Why: Hono's fast router does not take POST /device/register beside POST /device/{serial}/test-announcement, so that
 * every request would be searched for segment by segment.
 */
export function createRouter<T>(): Router<T> {
  const router = new TrieRouter<T>()
  const literal = new Set<string>()
  /** By method and path: one key made of both would be a string to build and to hash for every request. */
  const found = new Map<string, Map<string, Result<T>>>()
  return {
    name: router.name,
    add(method, path, handler) {
      router.add(method, path, handler)
      found.clear()
      if (!/[:*]/.test(path)) literal.add(path)
    },
    match(method, path) {
      const known = found.get(method)?.get(path)
      if (known) return known
      const result = router.match(method, path)
      if (literal.has(path)) found.set(method, new Map(found.get(method)).set(path, result))
      return result
    },
  }
}
