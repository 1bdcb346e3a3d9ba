import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { STAGES } from '../announcements/announcement.ts'
import type { WakeKind } from '../cluster/wakeups.ts'
import type { ReportedStage } from '../delivery/session/ports.ts'
import { DIALECT_NAMES, type DialectName } from '../devices/device.ts'
import { type CountRequest, REFUSED_MONEY } from '../http/response/access-log.ts'
import type { Clock } from '../platform/clock.ts'
import type { StorageObserver } from '../storage/ports.ts'
import type { WebhookCounts } from '../webhooks/ports.ts'
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from '../webhooks/send/sender.ts'

/** The values that are read when Prometheus asks. */
export interface Figures {
  isReady: () => Promise<boolean>
  devicesConnected: () => Readonly<Record<DialectName, number>>
  backlog: () => Promise<{ open: number; oldestQueuedAt: number | undefined }>
  writesWaiting: () => number
  diskFreeBytes: () => Promise<number>
  /** Whether nothing is deleted, because the clock is in doubt. */
  retentionWaits: () => boolean
  /** How far the database's clock is ahead of this machine's. */
  databaseAheadMs: () => number
  webhooks: () => Promise<WebhookCounts>
  webhooksUnderWay: () => number
}

/** Seconds: from a commit on a good disk to a caller's timeout. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Seconds: a sentence takes about 3 s, and an announcement expires after 120 s. */
const SPOKEN = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 40, 80, 120, 180]
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** Writing all series costs as much as twenty requests, and anybody who reaches the port may ask. */
const MOST_FREQUENT_MS = 1_000

/** INTERNAL and UNAVAILABLE: the codes of a callback that the hub could not take. An alarm watches them. */
const FAILED_CALLBACK = [50000, 50300]

export type Metrics = ReturnType<typeof createMetrics>

/** The hub's metrics for Prometheus. No label takes values from outside, so the number of series is bounded. */
export function createMetrics(clock: Clock) {
  const registry = new Registry()
  const series = createSeries(registry)
  // rate() misses the first count of a series that did not exist before it.
  const stages = new Map(STAGES.map((stage) => [stage, series.stages.labels({ stage })]))
  for (const count of stages.values()) count.inc(0)
  for (const outcome of ATTEMPT_OUTCOMES) series.webhookAttempts.labels({ outcome }).inc(0)
  for (const code of [...REFUSED_MONEY.codes, ...FAILED_CALLBACK])
    series.errors.labels({ code, route: REFUSED_MONEY.route }).inc(0)

  /** By method, status and route: finding the series by its labels costs a callback 3 µs more. */
  const requests = new Map<string, { count: Counter.Internal; seconds: Histogram.Internal<string> }>()
  const request: CountRequest = (method, route, status, ms, code) => {
    const key = `${method} ${status} ${route}`
    const known = requests.get(key)
    const { count, seconds } = known ?? {
      count: series.requests.labels({ method, route, status }),
      seconds: series.requestSeconds.labels({ method, route }),
    }
    if (!known) requests.set(key, { count, seconds })
    count.inc()
    seconds.observe(ms / 1_000)
    if (code !== undefined) series.errors.inc({ code, route })
  }
  const storage: StorageObserver = {
    stage(stage, sinceQueuedMs) {
      stages.get(stage)?.inc()
      if (stage === 'sent' || stage === 'received' || stage === 'played' || stage === 'delivered')
        series.stageSeconds.observe({ stage }, sinceQueuedMs / 1_000)
    },
    commit(writes, ms) {
      series.commitWrites.observe(writes)
      series.commitSeconds.observe(ms / 1_000)
    },
  }
  return {
    contentType: registry.contentType,
    text: sharedFor(MOST_FREQUENT_MS, clock, () => registry.metrics()),
    request,
    storage,
    httpClosed: (reason: string) => series.closed.inc({ reason }),
    mqttRefused: (reason: string) => series.refused.inc({ reason }),
    takeover: () => series.takeovers.inc(),
    fenced: () => series.fenced.inc(),
    reported: reportsIn(series.reports),
    webhookAttempt: (outcome: AttemptOutcome) => series.webhookAttempts.inc({ outcome }),
    wakeup: (kind: WakeKind, direction: 'sent' | 'heard') => series.wakeups.inc({ kind, direction }),
    retention(kind: string, caughtUpAt: number, kept: number) {
      series.retentionCaughtUp.set({ kind }, caughtUpAt / 1_000)
      series.retentionKept.set({ kind }, kept)
    },
    watch: (figures: Figures) => addGauges(registry, figures, clock),
    /** Adds the metrics of Node.js: memory, processor, event loop. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

/** Calls `make` once for all that ask until `ms` after it is done. */
function sharedFor<T>(ms: number, clock: Clock, make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  const forget = () => {
    made = undefined
  }
  return () => {
    made ??= make().finally(() => clock.after(ms, forget))
    return made
  }
}

const REPORTED = ['received', 'delivered', 'played', 'failed'] as const satisfies readonly ReportedStage[]

/** The counts of what devices report, found without their labels: one is raised with each report. */
function reportsIn(counter: Counter): (dialect: DialectName, stage: ReportedStage) => void {
  const counts = new Map<string, Counter.Internal>(
    DIALECT_NAMES.flatMap((dialect) =>
      REPORTED.map((stage) => [`${dialect} ${stage}`, counter.labels({ dialect, stage })] as const),
    ),
  )
  for (const count of counts.values()) count.inc(0)
  return (dialect, stage) => counts.get(`${dialect} ${stage}`)?.inc()
}

/** Longer than 70 lines: the list of all series. */
function createSeries(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, labelNames: string[], buckets: number[], help: string) =>
    new Histogram({ name, help, buckets, labelNames, registers })
  const ofKind = (name: string, help: string) => new Gauge({ name, help, labelNames: ['kind'], registers })
  return {
    retentionCaughtUp: ofKind(
      'hub_retention_caught_up_timestamp_seconds',
      'All rows of a kind that were old at this time are gone, but for those that are kept; of the hub that deletes.',
    ),
    retentionKept: ofKind(
      'hub_retention_kept_rows',
      'Old rows that stay because a speaker has still to play or to show them; of the hub that deletes.',
    ),
    requests: counter(
      'hub_http_requests_total',
      ['method', 'route', 'status'],
      'HTTP requests by method, route and status.',
    ),
    requestSeconds: histogram(
      'hub_http_request_duration_seconds',
      ['method', 'route'],
      QUICK,
      'Time from the headers of a request to its response, by method and route.',
    ),
    errors: counter(
      'hub_http_errors_total',
      ['code', 'route'],
      'HTTP requests that were refused or failed, by error code and route.',
    ),
    stages: counter('hub_announcements_total', ['stage'], 'Announcements by the stage that they reached.'),
    reports: counter(
      'hub_announcement_reports_total',
      ['dialect', 'stage'],
      'Announcements by the stage that their device has reported, and by its dialect.',
    ),
    stageSeconds: histogram(
      'hub_announcement_stage_seconds',
      ['stage'],
      SPOKEN,
      'Time from the commit of a payment to a stage of its announcement (sent, received, played, delivered).',
    ),
    commitWrites: histogram('hub_commit_writes', [], BATCHES, 'Writes per commit.'),
    commitSeconds: histogram(
      'hub_commit_duration_seconds',
      [],
      QUICK,
      'Time from the begin of a commit until it is on disk.',
    ),
    closed: counter(
      'hub_http_closed_total',
      ['reason'],
      'HTTP connections that the hub closed to protect the others, by reason.',
    ),
    refused: counter(
      'hub_mqtt_refused_total',
      ['reason'],
      'Device connections refused, or closed for a breach, by reason.',
    ),
    takeovers: counter(
      'hub_mqtt_takeovers_total',
      [],
      'Device connections that ended an older one of the same device.',
    ),
    fenced: counter('hub_fenced_total', [], 'Sessions that ended because they own their device no longer.'),
    webhookAttempts: counter(
      'hub_webhook_attempts_total',
      ['outcome'],
      'Requests to the webhooks of partners that are over, by outcome.',
    ),
    wakeups: counter(
      'hub_wakeups_total',
      ['kind', 'direction'],
      'Wake-ups between hubs by kind, sent to other hubs or heard from them.',
    ),
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
  const webhooks = sharedFor(MOST_FREQUENT_MS, clock, figures.webhooks)
  gauge(
    'hub_ready',
    '1 when the hub can take a payment; 0 when it stops or its storage can not be written.',
    async () => Number(await figures.isReady()),
  )
  new Gauge({
    name: 'hub_devices_connected',
    help: 'Devices with an open session, by dialect.',
    labelNames: ['dialect'],
    registers: [registry],
    collect() {
      const counts = figures.devicesConnected()
      for (const dialect of DIALECT_NAMES) this.set({ dialect }, counts[dialect])
    },
  })
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
  gauge(
    'hub_database_clock_offset_seconds',
    "How far PostgreSQL's clock is ahead of this machine's; 0 without PostgreSQL.",
    () => figures.databaseAheadMs() / 1_000,
  )
  gauge('hub_webhooks_enabled', 'Enabled webhooks, of all hubs.', async () => (await webhooks()).enabled)
  gauge(
    'hub_webhooks_failing',
    'Enabled webhooks whose last delivery has failed, of all hubs.',
    async () => (await webhooks()).failing,
  )
  gauge('hub_webhooks_disabled', 'Webhooks that the hub has disabled, of all hubs.', async () => {
    const { gone, failing } = (await webhooks()).disabled
    return gone + failing
  })
  gauge(
    'hub_webhook_deliveries_pending',
    'Deliveries of webhooks that are tried again, of all hubs.',
    async () => (await webhooks()).pending,
  )
  gauge(
    'hub_webhook_attempts_under_way',
    'Requests to webhooks that are under way.',
    figures.webhooksUnderWay,
  )
  gauge(
    'hub_retention_waits',
    '1 while no old row is deleted, because the clock was set; see `hub doctor`.',
    () => Number(figures.retentionWaits()),
  )
  gauge('hub_disk_free_bytes', "Free bytes on the data folder's disk.", figures.diskFreeBytes)
}
