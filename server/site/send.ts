import type { Context } from 'hono'
import type { HttpEnv } from '../http/response/env.ts'
import type { Asset } from './assets.ts'

/** No foreign or inline content, no frames; each page adds what it needs. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Sends an asset, which browsers revalidate by its ETag at each use. */
export function send(c: Context<HttpEnv>, { type, bytes, etag }: Asset, policy = "default-src 'none'") {
  return c.body(bytes, 200, {
    'Content-Type': type,
    'Content-Security-Policy': policy,
    // A page of another origin that opens this one gets no handle of its window.
    ...(type.startsWith('text/html') && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    'Cache-Control': 'no-cache',
    ETag: etag,
  })
}

/** Calls `make` at the first call and caches its result; a failure is not cached. */
export function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
