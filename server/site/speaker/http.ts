import type { OpenAPIHono } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../../http/response/env.ts'
import { cached, send } from '../asset.ts'
import { speakerFiles } from './files.ts'

/** Serves the page that is a speaker: its code is the simulator's. */
export function speakerRoutes(app: OpenAPIHono<HttpEnv>) {
  const files = cached(speakerFiles)
  app.use('/speaker/*', etag())
  app.get('/speaker', async (c) => send(c, (await files()).get('')))
  app.get('/speaker/:name', async (c) => send(c, (await files()).get(c.req.param('name'))))
}
