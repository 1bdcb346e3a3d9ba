import { OpenAPIHono } from '@hono/zod-openapi'
import type { NotFoundHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { routePath } from 'hono/route'
import { type DeviceVerbs, deviceRoutes } from '../devices/http.ts'
import type { Presence } from '../devices/ports.ts'
import type { Once } from '../idempotency/once.ts'
import type { Metrics } from '../operate/metrics.ts'
import { type PartnerVerbs, partnerRoutes } from '../partners/http.ts'
import type { RequestLimit } from '../partners/request-limit.ts'
import { type PaymentVerbs, paymentRoutes } from '../payments/http.ts'
import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { type SettingsVerbs, settingsRoutes } from '../settings/http.ts'
import { documentationRoutes } from '../site/http.ts'
import { storeRoutes } from '../stores/http.ts'
import type { Store, StoreChange } from '../stores/store.ts'
import type { HttpEnv } from './env.ts'
import { onError, respondWithError } from './errors/respond.ts'
import { createGuards } from './guards/guards.ts'
import { describeApi } from './openapi/openapi.ts'
import { validationError } from './openapi/validation.ts'
import { operationsRoutes, type Readiness } from './operations.ts'
import { standing } from './response-headers.ts'
import { createRouter } from './router.ts'

export interface AppDeps {
  verbs: PartnerVerbs &
    DeviceVerbs &
    PaymentVerbs &
    SettingsVerbs & {
      authenticate: (accessToken: string) => Promise<string>
      updateStore: (clientId: string, storeId: string, change: StoreChange) => Promise<Store>
      once: Once
    }
  requestLimit: RequestLimit
  presence: Presence
  metrics: Metrics
  clock: Clock
  log: Logger
  readiness: () => Promise<Readiness>
}

/** The hub's HTTP side: the partner API under /api/v1, and what operators and readers need beside it. */
export function createApp(deps: AppDeps): OpenAPIHono<HttpEnv> {
  const { verbs, clock, log, metrics } = deps
  const app = new OpenAPIHono<HttpEnv>({ router: createRouter() })
  // To look for what must not be told costs six times as much as the line itself, which has no place for it.
  const requests = log.child({}, { redact: [] })
  app.use(
    standing((c, ms) => {
      const { method } = c.req
      const { status } = c.res
      const route = routePath(c, -1)
      metrics.request(method, route, status, ms)
      requests.info({ requestId: c.get('requestId'), method, route, status, ms: Math.round(ms) }, 'request')
    }),
  )
  app.onError(onError(log))
  app.notFound(noRoute(app))

  const guards = createGuards({ ...verbs, requestLimit: deps.requestLimit })
  const api = new OpenAPIHono<HttpEnv>({
    defaultHook: (result) => {
      if (!result.success) throw validationError(result.error)
    },
  })
  partnerRoutes(api, guards, verbs)
  deviceRoutes(api, guards, verbs, deps.presence)
  paymentRoutes(api, guards, verbs, clock)
  storeRoutes(api, guards, verbs)
  settingsRoutes(api, guards, verbs)
  app.route('/api/v1', api)

  documentationRoutes(app, () => describeApi(app, deps.requestLimit.rate))
  operationsRoutes(app, metrics, deps.readiness)
  return app
}

/**
 * Answers what no route takes: 405 where another method is taken, else 404. The library's middleware looks at what
 * comes behind it, so it is asked here, where nothing else comes, and not before every request.
 */
function noRoute(app: OpenAPIHono<HttpEnv>): NotFoundHandler<HttpEnv> {
  const taken = methodNotAllowed<HttpEnv>({
    app,
    onMethodNotAllowed: (c, methods) => {
      const response = respondWithError(c, new HubError('METHOD_NOT_ALLOWED'))
      response.headers.set('Allow', methods.join(', '))
      return response
    },
  })
  return async (c) => {
    await taken(c, async () => {
      c.res = respondWithError(c, new HubError('ROUTE_NOT_FOUND'))
    })
    return c.res
  }
}
