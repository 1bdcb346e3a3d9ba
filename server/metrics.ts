import { Counter, Gauge, Registry } from 'prom-client'

/** The hub's figures, for Prometheus. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** One answered request; `route` is the route's pattern, never a path with somebody's numbers in it. */
  request(method: string, route: string, status: number): void
  /** One stage that an announcement has reached. */
  announcement(stage: string): void
}

export function createMetrics(figures: { devicesConnected: () => number }): Metrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'hub_http_requests_total',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const announcements = new Counter({
    name: 'hub_announcements_total',
    help: 'Announcements by the stage they reached.',
    labelNames: ['stage'],
    registers: [registry],
  })
  new Gauge({
    name: 'hub_devices_connected',
    help: 'Devices with an open session.',
    registers: [registry],
    collect() {
      this.set(figures.devicesConnected())
    },
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: (method, route, status) => requests.inc({ method, route, status: String(status) }),
    announcement: (stage) => announcements.inc({ stage }),
  }
}
