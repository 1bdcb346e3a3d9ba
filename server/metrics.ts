import { Counter, Gauge, Registry } from 'prom-client'

/** The hub's figures, for Prometheus. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** One answered request; `route` is the route's pattern, never a path with somebody's numbers in it. */
  request(method: string, route: string, status: number): void
  /** One stage that an announcement has reached. */
  announcement(stage: string): void
  /** A device's connection that was refused or closed for what it did, by the reason. */
  mqttRefused(reason: string): void
  /** A connection of a device that has ended an older one of the same. */
  takeover(): void
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
  const refused = new Counter({
    name: 'hub_mqtt_refused_total',
    help: 'Connections of devices refused, or closed for a breach, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  })
  const takeovers = new Counter({
    name: 'hub_mqtt_takeovers_total',
    help: 'Connections that ended an older one of the same device.',
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
    mqttRefused: (reason) => refused.inc({ reason }),
    takeover: () => takeovers.inc(),
  }
}
