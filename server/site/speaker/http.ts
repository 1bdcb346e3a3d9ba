import type { OpenAPIHono } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../../http/response/env.ts'
import { cached, POLICY, send } from '../send.ts'
import { SERVICE_WORKER, speakerFiles } from './files.ts'

/** The page connects to its own hub alone: `'self'` holds for `/mqtt`, too. */
const PAGE = [
  ...POLICY,
  "style-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
].join('; ')
/** The service worker fetches the page's files. */
const WORKER = "default-src 'none'; connect-src 'self'"
const FEATURES =
  'autoplay=(self), fullscreen=(self), screen-wake-lock=(self), camera=(), microphone=(), geolocation=(), payment=()'

/** Serves the page that is a speaker: its code is the simulator's. */
export function speakerRoutes(app: OpenAPIHono<HttpEnv>) {
  const files = cached(speakerFiles)
  app.use('/speaker/*', etag())
  app.get('/speaker', async (c) => {
    c.header('Permissions-Policy', FEATURES)
    const page = (await files()).get('')
    return page ? send(c, page, PAGE) : c.notFound()
  })
  app.get('/speaker/:name', async (c) => {
    const name = c.req.param('name')
    const found = (await files()).get(name)
    if (!found) return c.notFound()
    if (name !== SERVICE_WORKER) return send(c, found)
    // It lies in a folder below the page that it serves.
    c.header('Service-Worker-Allowed', '/speaker')
    return send(c, found, WORKER)
  })
}
