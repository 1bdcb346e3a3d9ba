import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../http/response/env.ts'
import { asset, cached, POLICY, readAssets, send } from './asset.ts'
import { checksumPage } from './pages/checksum.ts'
import { quickstartPage } from './pages/quickstart.ts'
import { referencePage } from './pages/reference.ts'
import { webhooksPage } from './pages/webhooks.ts'

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
 * Serves the pages for integrators and the OpenAPI document. Everything is built at the first request and cached, because
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
  const page = (path: string, make: () => Promise<string>, policy: string) => {
    const made = cached(async () => asset('page.html', await make(), policy))
    app.get(path, async (c) => send(c, await made()))
  }
  page('/docs/quickstart', quickstartPage, SILENT_PAGE)
  page('/docs/checksum', checksumPage, SILENT_PAGE)
  page('/docs/webhooks', webhooksPage, SILENT_PAGE)
  page('/docs', () => referencePage(describe()), REFERENCE_PAGE)
  app.get('/docs/assets/:name', async (c) => send(c, (await assets()).get(c.req.param('name'))))
}
