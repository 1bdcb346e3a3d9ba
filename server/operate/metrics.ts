import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { STAGES, type Stage } from '../announcements/stages.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageObserver } from '../storage/ports.ts'
import { createSeries } from './series.ts'

/** The hub's figures, for Prometheus. No label has values from outside: their number is bounded. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** One answered request; `route` is the route's pattern, never a path with somebody's numbers in it. */
  request(method: string, route: string, status: number, ms: number): void
  /** What the storage tells. */
  readonly storage: StorageObserver
  /** A device's connection that was refused or closed for what it did, by the reason. */
  mqttRefused(reason: string): void
  /** A connection of a device that has ended an older one of the same. */
  takeover(): void
  /** Adds what Node.js tells of the process (memory, processor, event loop); until the process ends. */
  watchProcess(): void
}

/** What is asked when the figures are. */
export interface Figures {
  devicesConnected: () => number
  backlog: () => Promise<{ open: number; oldestQueuedAt: number | undefined }>
  writesWaiting: () => number
  diskFreeBytes: () => Promise<number>
}

/** Seconds: from what a commit takes on a good disk to what makes callers give up. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds: a sentence takes some three, and after 120 an announcement is no news any more. */
const SPOKEN = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 80, 120, 180]
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

export function createMetrics(figures: Figures, clock: Clock): Metrics {
  const registry = new Registry()
  const registers = [registry]
  addGauges(registry, figures, clock)
  const requests = createRequestMetrics(registry)
  const refused = new Counter({
    name: 'hub_mqtt_refused_total',
    help: 'Connections of devices refused, or closed for a breach, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const takeovers = new Counter({
    name: 'hub_mqtt_takeovers_total',
    help: 'Connections that ended an older one of the same device.',
    registers,
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request: requests,
    storage: createStorageMetrics(registry),
    mqttRefused: (reason) => refused.inc({ reason }),
    takeover: () => takeovers.inc(),
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

function createRequestMetrics(registry: Registry): Metrics['request'] {
  const addRequests = createSeries(
    registry,
    {
      name: 'hub_http_requests_total',
      help: 'HTTP requests by method, route and status.',
      type: 'counter',
    },
    (options) => new Counter(options),
  )
  const addDurations = createSeries(
    registry,
    {
      name: 'hub_http_request_duration_seconds',
      help: 'From the headers of a request to its answer, by method and route.',
      type: 'histogram',
    },
    (options) => new Histogram({ ...options, buckets: QUICK }),
  )
  const toRoute = remember((route: string) =>
    remember((method: string) => ({
      durations: addDurations({ method, route }),
      requests: remember((status: number) => addRequests({ method, route, status: String(status) })),
    })),
  )
  return (method, route, status, ms) => {
    const { durations, requests } = toRoute(route)(method)
    requests(status).inc()
    durations.observe(ms / 1_000)
  }
}

/** Makes what belongs to a key when it is first asked for. The keys are few. */
function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

function createStorageMetrics(registry: Registry): StorageObserver {
  const registers = [registry]
  const addAnnouncements = createSeries(
    registry,
    {
      name: 'hub_announcements_total',
      help: 'Announcements by the stage they reached.',
      type: 'counter',
    },
    (options) => new Counter(options),
  )
  const announcements = remember((stage: Stage) => addAnnouncements({ stage }))
  // A series that appears with its first count hides that count from rate().
  for (const stage of STAGES) announcements(stage)
  const addStages = createSeries(
    registry,
    {
      name: 'hub_announcement_stage_seconds',
      help: 'From the payment on disk to the stage of its announcement (sent, received, played).',
      type: 'histogram',
    },
    (options) => new Histogram({ ...options, buckets: SPOKEN }),
  )
  const stages = remember((stage: Stage) => addStages({ stage }))
  const sizes = new Histogram({
    name: 'hub_commit_writes',
    help: 'Writes that shared one commit.',
    buckets: BATCHES,
    registers,
  })
  const durations = new Histogram({
    name: 'hub_commit_duration_seconds',
    help: 'From the begin of a commit until it was on disk.',
    buckets: QUICK,
    registers,
  })
  return {
    stage(stage, sinceQueuedMs) {
      announcements(stage).inc()
      if (stage === 'sent' || stage === 'received' || stage === 'played')
        stages(stage).observe(sinceQueuedMs / 1_000)
    },
    commit(writes, ms) {
      sizes.observe(writes)
      durations.observe(ms / 1_000)
    },
  }
}

function addGauges(registry: Registry, figures: Figures, clock: Clock) {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): Metric =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read())
        } catch {
          // What can't be told must not take the other figures away.
          this.set(Number.NaN)
        }
      },
    })
  gauge('hub_devices_connected', 'Devices with an open session.', figures.devicesConnected)
  gauge(
    'hub_outbox_open',
    'Announcements that are not at their final stage.',
    async () => (await figures.backlog()).open,
  )
  gauge('hub_outbox_oldest_age_seconds', 'Age of the oldest of them; 0 when there is none.', async () => {
    const { oldestQueuedAt } = await figures.backlog()
    return oldestQueuedAt === undefined ? 0 : Math.max(0, clock.now() - oldestQueuedAt) / 1_000
  })
  gauge('hub_writes_waiting', 'Writes that wait for their commit.', figures.writesWaiting)
  gauge(
    'hub_disk_free_bytes',
    'Bytes that may still be written where the data folder is.',
    figures.diskFreeBytes,
  )
}
