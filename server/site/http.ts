import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../http/response/env.ts'
import { type Asset, asset, readAssets } from './assets.ts'
import { checksumPage } from './pages/checksum.ts'
import { quickstartPage } from './pages/quickstart.ts'
import { referencePage } from './pages/reference.ts'

/** Nothing from elsewhere, nothing inline, in no frame; a page adds what it needs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]
/** No script of such a page can send anything anywhere: what a reader types stays. */
const SILENT_PAGE = [...POLICY, "style-src 'self'"].join('; ')
/** Swagger UI calls this hub, and styles itself inline. */
const REFERENCE_PAGE = [...POLICY, "style-src 'self' 'unsafe-inline'", "connect-src 'self'"].join('; ')

/** Where a newcomer lands. */
const START = '/docs/quickstart'

/**
 * Serves the pages for integrators and the interface's description. Everything is made at the first request
 * and kept: megabytes read anew would hold up the payments behind them. Browsers ask each time whether what
 * they have is still right, and it is told by the ETag: no page is stale after an upgrade.
 */
export function documentationRoutes(app: OpenAPIHono<HttpEnv>, describe: () => object) {
  const description = kept(async () => asset('openapi.json', JSON.stringify(describe())))
  const quickstart = kept(async () => asset('quickstart.html', await quickstartPage()))
  const checksum = kept(async () => asset('checksum.html', await checksumPage()))
  const reference = kept(async () => asset('reference.html', await referencePage()))
  const assets = kept(readAssets)

  app.use('/docs/*', etag())
  app.get('/', (c) => c.redirect(START))
  app.get('/openapi.json', etag(), async (c) => send(c, await description()))
  app.get('/docs/quickstart', async (c) => send(c, await quickstart(), SILENT_PAGE))
  app.get('/docs/checksum', async (c) => send(c, await checksum(), SILENT_PAGE))
  app.get('/docs', async (c) => send(c, await reference(), REFERENCE_PAGE))
  app.get('/docs/assets/:name', async (c) => {
    const found = (await assets()).get(c.req.param('name'))
    return found ? send(c, found) : c.notFound()
  })
}

function send(c: Context<HttpEnv>, { type, bytes, etag }: Asset, policy = "default-src 'none'") {
  return c.body(bytes, 200, {
    'Content-Type': type,
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
    ETag: etag,
  })
}

/** What `make` makes, made at the first call; a failure is not kept. */
function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
