import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Metrics } from '../metrics.ts'
import type { HttpEnv } from './env.ts'

/** What the operator's tools ask: alive, able to work, and the figures. */
export function operationsRoutes(
  app: OpenAPIHono<HttpEnv>,
  metrics: Metrics,
  isReady: () => Promise<boolean>,
) {
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const ready = await isReady()
    return ready ? c.json({ status: 'ready' }) : c.json({ status: 'not ready' }, 503, { 'Retry-After': '1' })
  })
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
}
