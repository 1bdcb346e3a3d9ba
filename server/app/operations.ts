import type { OpenAPIHono } from '@hono/zod-openapi'
import { HUB_HEADER } from '../cluster/peers.ts'
import type { HttpEnv } from '../http/response/env.ts'

/** Whether the hub accepts work, or why not. `storage`: nothing can be written. `clock`: the clock is wrong. */
export type Readiness = 'ready' | 'starting' | 'draining' | 'storage' | 'clock'

/** The metrics in Prometheus' text format. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** Whether the hub lives, and whether it is ready: for load balancers and supervisors. */
export function healthRoutes(app: OpenAPIHono<HttpEnv>, readiness: () => Promise<Readiness>, hubId?: string) {
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const found = await readiness()
    if (hubId !== undefined) c.header(HUB_HEADER, hubId)
    if (found === 'ready') return c.json({ status: 'ready' })
    return c.json({ status: 'not ready', reason: found }, 503, { 'Retry-After': '1' })
  })
}

export function metricsRoutes(app: OpenAPIHono<HttpEnv>, metrics: MetricsText) {
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }))
}
