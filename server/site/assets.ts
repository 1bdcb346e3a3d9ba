import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleScripts } from './bundle.ts'

/** A static response: its bytes, their type, and an ETag of them. */
export interface Asset {
  type: string
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The served files by name, in addition to the folder `style`; no other file can be requested. */
const FILES: Record<string, string> = {
  'checksum-vectors.json': ours('../../protocol/vectors/checksum.json'),
  'swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  'swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
}

/** Builds an asset; the extension of `name` decides its type. */
export function asset(name: string, content: string | Uint8Array): Asset {
  const type = TYPES[extname(name)]
  if (type === undefined) throw new Error(`unknown content type: ${name}`)
  const bytes = new Uint8Array(Buffer.from(content))
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** Reads all assets, by name. */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const styles = (await readdir(ours('style'))).map((name) => [name, ours(`style/${name}`)] as const)
  const files = [...styles, ...Object.entries(FILES)].map(
    async ([name, path]) => [name, await readFile(path)] as const,
  )
  const [scripts, read] = await Promise.all([bundleScripts(), Promise.all(files)])
  return new Map([...read, ...scripts].map(([name, content]) => [name, asset(name, content)]))
}
