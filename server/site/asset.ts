import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Context } from 'hono'
import type { HttpEnv } from '../http/response/env.ts'
import { bundleScripts } from './bundle.ts'

/** A static response. Browsers revalidate it by its ETag at each use. */
export interface Asset {
  bytes: Uint8Array<ArrayBuffer>
  headers: Record<string, string> & { ETag: string }
}

/** No foreign or inline content, no frames; each page adds what it needs. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

/** Builds an asset; the extension of `name` decides its type. */
export function asset(
  name: string,
  content: string | Uint8Array,
  policy = "default-src 'none'",
  headers: Record<string, string> = {},
): Asset {
  const type = TYPES[extname(name)]
  if (type === undefined) throw new Error(`unknown content type: ${name}`)
  const bytes = new Uint8Array(Buffer.from(content))
  return {
    bytes,
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      // A page of another origin that opens this one gets no handle of its window.
      ...(name.endsWith('.html') && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
      'Cache-Control': 'no-cache',
      ETag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
      ...headers,
    },
  }
}

/** Reads files, whose paths are given by name, and bundles scripts: the assets by name. */
export async function readAssets(
  files: Readonly<Record<string, string>>,
  scripts?: readonly string[],
): Promise<Map<string, Asset>> {
  const read = Object.entries(files).map(async ([name, path]) => [name, await readFile(path)] as const)
  const all = [...(await Promise.all(read)), ...(await bundleScripts(scripts))]
  return new Map(all.map(([name, content]) => [name, asset(name, content)]))
}

/** Sends an asset; without one, answers that there is none. */
export function send(c: Context<HttpEnv>, found: Asset | undefined) {
  return found ? c.body(found.bytes, 200, found.headers) : c.notFound()
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
