import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { etag } from 'hono/etag'
import { parseAccept } from 'hono/utils/accept'
import type { HttpEnv } from '../http/response/env.ts'
import { LANGUAGE_CODES, type Say, sayIn } from '../platform/language/words.ts'
import { type Asset, asset, cached, POLICY, readAssets, send } from './asset.ts'
import { checksumPage } from './pages/checksum.ts'
import { quickstartPage } from './pages/quickstart.ts'
import { referencePage } from './pages/reference.ts'
import { webhooksPage } from './pages/webhooks.ts'
import { type Page, type PagePath, pageText, type Reader } from './parts/shell.ts'

/** No script of these pages can send data anywhere: the reader's input stays in the page. */
const SILENT_PAGE = [...POLICY, "style-src 'self'"].join('; ')
/** Swagger UI calls this hub and uses inline styles. */
const REFERENCE_PAGE = [...POLICY, "style-src 'self' 'unsafe-inline'", "connect-src 'self'"].join('; ')

/** The target of /. */
const START = '/docs/quickstart'

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The served files by name, in addition to the folder `style`; no other file can be requested. */
const FILES = {
  'checksum-vectors.json': ours('../../protocol/vectors/checksum.json'),
  'swagger-ui.css': join(SWAGGER_UI, 'swagger-ui.css'),
  'swagger-ui-bundle.js': join(SWAGGER_UI, 'swagger-ui-bundle.js'),
}

/**
 * Serves the pages for integrators, in each language, and the OpenAPI document. Everything is built at the first request and cached, because
 * reading megabytes again would delay payments. Browsers revalidate each time by the ETag, so no page is stale after an
 * upgrade.
 */
export function documentationRoutes(app: OpenAPIHono<HttpEnv>, describe: () => object) {
  const description = cached(async () => asset('openapi.json', JSON.stringify(describe())))
  const assets = cached(async () => {
    const styles = (await readdir(ours('style'))).map((name) => [name, ours(`style/${name}`)])
    return readAssets({ ...Object.fromEntries(styles), ...FILES })
  })

  app.use('/docs/*', etag())
  app.get('/', (c) => c.redirect(START))
  app.get('/openapi.json', etag(), async (c) => send(c, await description()))
  const servePage = (path: PagePath, make: (say: Say) => Page | Promise<Page>, policy: string) => {
    const made = forEachReader(async (reader) => {
      const text = await pageText(path, reader, await make(sayIn(reader.language)))
      const headers = {
        'Content-Language': reader.language,
        ...(!reader.named && { Vary: 'Accept-Language' }),
      }
      return asset('page.html', text, policy, headers)
    })
    app.get(path, async (c) => send(c, await made(readerOf(c))))
  }
  servePage('/docs/quickstart', quickstartPage, SILENT_PAGE)
  servePage('/docs/checksum', checksumPage, SILENT_PAGE)
  servePage('/docs/webhooks', webhooksPage, SILENT_PAGE)
  servePage('/docs', (say) => referencePage(say, describe()), REFERENCE_PAGE)
  app.get('/docs/assets/:name', async (c) => send(c, (await assets()).get(c.req.param('name'))))
}

/** The reader's language: the one that the address names (`?lang=vi`), else the one that the browser prefers. */
function readerOf(c: Context<HttpEnv>): Reader {
  const named = languageOf(c.req.query('lang'))
  if (named) return { language: named, named: true }
  const preferred = parseAccept(c.req.header('Accept-Language') ?? '').filter(({ q }) => q > 0)
  return { language: preferred.flatMap(({ type }) => languageOf(type) ?? [])[0] ?? 'en', named: false }
}

/** The language of a tag: vi-VN is vi. */
const languageOf = (tag = '') =>
  LANGUAGE_CODES.find((code) => code === tag.toLowerCase().split('-', 1).join())

/** Makes each variant of a page at its first request. */
function forEachReader(make: (reader: Reader) => Promise<Asset>): (reader: Reader) => Promise<Asset> {
  const made = new Map<string, () => Promise<Asset>>()
  return (reader) => {
    const key = `${reader.language} ${reader.named}`
    const variant = made.get(key) ?? cached(() => make(reader))
    made.set(key, variant)
    return variant()
  }
}
