import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** Something that is served as it is: its bytes, their type, and a tag that changes with them. */
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
  '.svg': 'image/svg+xml; charset=utf-8',
}

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Every file that is served, by its name under /docs/assets; what is not in here can't be asked for. */
const FILES: Record<string, string> = {
  'docs.css': ours('style/docs.css'),
  'code.css': ours('style/code.css'),
  'quickstart.css': ours('style/quickstart.css'),
  'calculator.css': ours('style/calculator.css'),
  'reference.css': ours('style/reference.css'),
  'without-scripts.css': ours('style/without-scripts.css'),
  'icon.svg': ours('style/icon.svg'),
  'checksum-vectors.json': ours('../../protocol/vectors/checksum.json'),
  'swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  'swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
}

/** An asset of a text or of bytes; `name` tells the type. */
export function asset(name: string, content: string | Uint8Array): Asset {
  const type = TYPES[extname(name)]
  if (type === undefined) throw new Error(`no content type is known for ${name}`)
  const bytes = new Uint8Array(Buffer.from(content))
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/**
 * Reads all assets, by name. Types are stripped from the scripts in a thread of its own: that takes a tenth
 * of a second, which would hold up payments, and Node.js says on standard error that it is experimental,
 * where the hub's log is.
 */
export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const worker = new Worker(new URL('strip-types.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [[scripts], files] = await Promise.all([
    // The one message that it sends.
    once(worker, 'message') as Promise<[Map<string, string>]>,
    Promise.all(
      Object.entries(FILES).map(async ([name, path]) => [name, asset(name, await readFile(path))] as const),
    ),
  ])
  return new Map([...files, ...[...scripts].map(([name, text]) => [name, asset(name, text)] as const)])
}
