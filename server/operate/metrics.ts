import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { STAGES } from '../announcements/stages.ts'
import type { CountRequest } from '../http/response/access-log.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageObserver } from '../storage/ports.ts'

/** The hub's metrics for Prometheus. No label takes values from outside, so the number of series is bounded. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** Counts one HTTP response. */
  request: CountRequest
  /** Counts commits and stages of announcements. */
  readonly storage: StorageObserver
  /** Counts a device's connection that was refused, or closed for a breach. */
  mqttRefused(reason: string): void
  /** Counts a device's connection that ended an older one of the same device. */
  takeover(): void
  /** Adds the gauges, which are read when Prometheus asks. */
  watch(figures: Figures): void
  /** Adds the metrics of Node.js: memory, processor, event loop. */
  watchProcess(): void
}

/** The values that are read when Prometheus asks. */
export interface Figures {
  devicesConnected: () => number
  backlog: () => Promise<{ open: number; oldestQueuedAt: number | undefined }>
  writesWaiting: () => number
  diskFreeBytes: () => Promise<number>
}

/** Seconds: from a commit on a good disk to a caller's timeout. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds: a sentence takes about 3 s, and an announcement expires after 120 s. */
const SPOKEN = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 80, 120, 180]
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const refused = new Counter({
    name: 'hub_mqtt_refused_total',
    help: 'Device connections refused, or closed for a breach, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const takeovers = new Counter({
    name: 'hub_mqtt_takeovers_total',
    help: 'Device connections that ended an older one of the same device.',
    registers,
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: createRequestMetrics(registry),
    storage: createStorageMetrics(registry),
    mqttRefused: (reason) => refused.inc({ reason }),
    takeover: () => takeovers.inc(),
    watch: (figures) => addGauges(registry, figures, clock),
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

function createRequestMetrics(registry: Registry): CountRequest {
  const registers = [registry]
  const requests = new Counter({
    name: 'hub_http_requests_total',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'hub_http_request_duration_seconds',
    help: 'Time from the headers of a request to its response, by method and route.',
    labelNames: ['method', 'route'],
    buckets: QUICK,
    registers,
  })
  return function countRequest(method, route, status, ms) {
    requests.inc({ method, route, status })
    durations.observe({ method, route }, ms / 1_000)
  }
}

function createStorageMetrics(registry: Registry): StorageObserver {
  const registers = [registry]
  const announcements = new Counter({
    name: 'hub_announcements_total',
    help: 'Announcements by the stage that they reached.',
    labelNames: ['stage'],
    registers,
  })
  // rate() misses the first count of a series that did not exist before it.
  for (const stage of STAGES) announcements.inc({ stage }, 0)
  const stages = new Histogram({
    name: 'hub_announcement_stage_seconds',
    help: 'Time from the commit of a payment to a stage of its announcement (sent, received, played).',
    labelNames: ['stage'],
    buckets: SPOKEN,
    registers,
  })
  const sizes = new Histogram({
    name: 'hub_commit_writes',
    help: 'Writes per commit.',
    buckets: BATCHES,
    registers,
  })
  const durations = new Histogram({
    name: 'hub_commit_duration_seconds',
    help: 'Time from the begin of a commit until it is on disk.',
    buckets: QUICK,
    registers,
  })
  return {
    stage(stage, sinceQueuedMs) {
      announcements.inc({ stage })
      if (stage === 'sent' || stage === 'received' || stage === 'played')
        stages.observe({ stage }, sinceQueuedMs / 1_000)
    },
    commit(writes, ms) {
      sizes.observe(writes)
      durations.observe(ms / 1_000)
    },
  }
}

function addGauges(registry: Registry, figures: Figures, clock: Clock) {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read())
        } catch {
          // One unreadable value must not hide the others.
          this.set(Number.NaN)
        }
      },
    })
  gauge('hub_devices_connected', 'Devices with an open session.', figures.devicesConnected)
  gauge(
    'hub_outbox_open',
    'Announcements that have not reached their final stage.',
    async () => (await figures.backlog()).open,
  )
  gauge(
    'hub_outbox_oldest_age_seconds',
    'Age of the oldest open announcement; 0 when there is none.',
    async () => {
      const { oldestQueuedAt } = await figures.backlog()
      return oldestQueuedAt === undefined ? 0 : Math.max(0, clock.now() - oldestQueuedAt) / 1_000
    },
  )
  gauge('hub_writes_waiting', 'Writes that wait for their commit.', figures.writesWaiting)
  gauge('hub_disk_free_bytes', "Free bytes on the data folder's disk.", figures.diskFreeBytes)
}
