import { OpenAPIHono } from '@hono/zod-openapi'
import type { NotFoundHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { type DeviceVerbs, deviceRoutes } from '../devices/http.ts'
import type { Presence } from '../devices/ports.ts'
import { type EventVerbs, eventRoutes } from '../events/http.ts'
import { withoutTime } from '../http/errors/clock-behind.ts'
import { onError, respondWithError } from '../http/errors/respond.ts'
import type { Authenticate } from '../http/guards/checks.ts'
import { createGuards } from '../http/guards/guards.ts'
import { createLimits, type KnownRequests, type RequestLimit } from '../http/guards/limits.ts'
import { accessLog, type CountRequest } from '../http/response/access-log.ts'
import { type AddressOf, addressBehind, type HttpEnv } from '../http/response/env.ts'
import { responseHeaders } from '../http/response/response-headers.ts'
import { WEBSOCKET_PATH } from '../http/server.ts'
import type { Once } from '../idempotency/once.ts'
import { type PartnerVerbs, partnerRoutes } from '../partners/http.ts'
import { type PaymentVerbs, paymentRoutes } from '../payments/http.ts'
import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import { createFaultLog } from '../platform/fault-log.ts'
import type { Logger } from '../platform/log.ts'
import { NO_PROXY, type TrustsProxy } from '../platform/net/address.ts'
import { reconciliationRoutes } from '../reconciliation/http.ts'
import type { ReconciliationVerbs } from '../reconciliation/reconcile.ts'
import { type SettingsVerbs, settingsRoutes } from '../settings/http.ts'
import { documentationRoutes } from '../site/http.ts'
import { speakerRoutes } from '../site/speaker/http.ts'
import { type StoreVerbs, storeRoutes } from '../stores/http.ts'
import { describeDeliveries, type WebhookVerbs, webhookRoutes } from '../webhooks/http.ts'
import { describeApi } from './openapi.ts'
import { healthRoutes, type MetricsText, metricsRoutes, type Readiness } from './operations.ts'
import { createRouter } from './router.ts'

export interface AppDeps {
  verbs: PartnerVerbs &
    DeviceVerbs &
    PaymentVerbs &
    EventVerbs &
    SettingsVerbs &
    StoreVerbs &
    WebhookVerbs &
    ReconciliationVerbs & {
      authenticate: Authenticate
      once: Once
    }
  requestLimit: RequestLimit
  anonymousLimit: RequestLimit
  trustsProxy: TrustsProxy
  connections?: KnownRequests | undefined
  presence: Presence
  metrics: MetricsText & { request: CountRequest }
  clock: Clock
  /** Whether the clock is certainly wrong. Then no refusal may depend on the time. */
  clockIsBehind: () => boolean
  log: Logger
  readiness: () => Promise<Readiness>
  /** The id of this start of the hub, by which other hubs know that it is this one. */
  hubId?: string | undefined
}

/** The HTTP app of partners: the API under /api/v1, its documentation, and the hub's health. */
export function createApp(deps: AppDeps): OpenAPIHono<HttpEnv> {
  const { verbs } = deps
  const addressOf = addressBehind(deps.trustsProxy)
  const limits = createLimits({ ...deps, addressOf })
  const app = createBareApp(deps, addressOf, (c, error) =>
    limits.refused(c, deps.clockIsBehind() ? withoutTime(error) : error),
  )

  const guards = createGuards({ ...verbs, limits })
  const api = new OpenAPIHono<HttpEnv>()
  partnerRoutes(api, guards, verbs)
  deviceRoutes(api, guards, verbs, deps.presence)
  paymentRoutes(api, guards, verbs, deps)
  eventRoutes(api, guards, verbs)
  storeRoutes(api, guards, verbs)
  settingsRoutes(api, guards, verbs)
  webhookRoutes(api, guards, verbs)
  reconciliationRoutes(api, guards, verbs)
  app.route('/api/v1', api)
  describeDeliveries(app)

  // What follows, and every unknown path. The operations above never pass here: each has its own guard.
  app.use(async (c, next) => {
    await guards.anywhere(c)
    await next()
  })
  documentationRoutes(app, () => describeApi(app, deps))
  speakerRoutes(app)
  healthRoutes(app, deps.readiness, deps.hubId)
  // The server hands handshakes over: only other requests come here.
  app.all(WEBSOCKET_PATH, () => {
    throw new HubError('NO_MQTT_HANDSHAKE')
  })
  return app
}

/** The figures for operators. Their listener is another one than that of partners: nothing here needs credentials. */
export function createAdminApp(deps: BareAppDeps & Pick<AppDeps, 'readiness'>): OpenAPIHono<HttpEnv> {
  const app = createBareApp(deps, addressBehind(NO_PROXY))
  healthRoutes(app, deps.readiness)
  metricsRoutes(app, deps.metrics)
  return app
}

export type BareAppDeps = Pick<AppDeps, 'log' | 'metrics' | 'clock'>

/** An app without routes, whose answers have the hub's headers, errors and log. */
export function createBareApp(
  { log, metrics, clock }: BareAppDeps,
  addressOf: AddressOf,
  refused?: Parameters<typeof onError>[2],
): OpenAPIHono<HttpEnv> {
  const app = new OpenAPIHono<HttpEnv>({ router: createRouter() })
  app.use(responseHeaders(accessLog(log, metrics.request, addressOf)))
  app.onError(onError(log, createFaultLog(log, clock, 'the storage refuses requests'), refused))
  app.notFound(noRoute(app))
  return app
}

/**
 * Answers a request without a route: 405 when the path takes another method, else 404. The library offers this as a
 * middleware for every request; called here it runs only when no route matches.
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
