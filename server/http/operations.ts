import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Metrics } from '../operate/metrics.ts'
import type { HttpEnv } from './response/env.ts'

/** Whether the hub can take work, or why not: it is not up yet, it stops, or it can write nothing. */
export type Readiness = 'ready' | 'starting' | 'draining' | 'storage'

/** What the operator's tools ask: alive, able to work, and the figures. */
export function operationsRoutes(
  app: OpenAPIHono<HttpEnv>,
  metrics: Metrics,
  readiness: () => Promise<Readiness>,
) {
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const found = await readiness()
    if (found === 'ready') return c.json({ status: 'ready' })
    return c.json({ status: 'not ready', reason: found }, 503, { 'Retry-After': '1' })
  })
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
}
