import type { OpenAPIHono } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../http/response/env.ts'
import { asset, readAssets } from './assets.ts'
import { checksumPage } from './pages/checksum.ts'
import { quickstartPage } from './pages/quickstart.ts'
import { referencePage } from './pages/reference.ts'
import { webhooksPage } from './pages/webhooks.ts'
import { cached, POLICY, send } from './send.ts'

/** No script of these pages can send data anywhere: the reader's input stays in the page. */
const SILENT_PAGE = [...POLICY, "style-src 'self'"].join('; ')
/** Swagger UI calls this hub and uses inline styles. */
const REFERENCE_PAGE = [...POLICY, "style-src 'self' 'unsafe-inline'", "connect-src 'self'"].join('; ')

/** The target of /. */
const START = '/docs/quickstart'

/**
 * Serves the pages for integrators and the OpenAPI document. Everything is built at the first request and cached, because
 * reading megabytes again would delay payments. Browsers revalidate each time by the ETag, so no page is stale after an
 * upgrade.
 */
export function documentationRoutes(app: OpenAPIHono<HttpEnv>, describe: () => object) {
  const description = cached(async () => asset('openapi.json', JSON.stringify(describe())))
  const assets = cached(readAssets)

  app.use('/docs/*', etag())
  app.get('/', (c) => c.redirect(START))
  app.get('/openapi.json', etag(), async (c) => send(c, await description()))
  const page = (path: string, make: () => Promise<string>, policy: string) => {
    const made = cached(async () => asset('page.html', await make()))
    app.get(path, async (c) => send(c, await made(), policy))
  }
  page('/docs/quickstart', quickstartPage, SILENT_PAGE)
  page('/docs/checksum', checksumPage, SILENT_PAGE)
  page('/docs/webhooks', webhooksPage, SILENT_PAGE)
  page('/docs', referencePage, REFERENCE_PAGE)
  app.get('/docs/assets/:name', async (c) => {
    const found = (await assets()).get(c.req.param('name'))
    return found ? send(c, found) : c.notFound()
  })
}
