import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMetrics } from '../../../server/operate/metrics.ts'
import { signedCallback } from '../../support/callback.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { DASHBOARDS, dashboard } from '../../support/dashboards.ts'
import { connectPartner } from '../../support/http/partner-client.ts'
import { startTestHub } from '../../support/hub.ts'
import { switchOn } from '../../support/mqtt/speaker.ts'
import { until } from '../../support/wait.ts'
import { createShop } from '../storage/shop.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const NO_WEBHOOKS = { enabled: 0, failing: 0, pending: 0, disabled: { gone: 0, failing: 0, partner: 0 } }

const metricsIn = (text: string) => text.match(/\b(hub|process|nodejs)_\w+/g) ?? []
/** The name of a histogram without the end of one of its series. */
const baseOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '')

const NONE_CONNECTED = { 'sb/1': 0, hemipay: 0, oneway: 0, alink: 0 }

/** The metrics of a hub whose speaker has played a payment. */
async function playedPayment(): Promise<string> {
  const hub = await startTestHub()
  const shop = createShop(hub.storage)
  const clientId = await shop.partner()
  const { serial, key } = await shop.speaker(clientId)
  const speaker = switchOn({ serial, key: key.toString('base64url') }, hub.mqtt)
  await speaker.next('connected')
  const partner = await connectPartner(() => hub.http, { clientId, clientSecret: 'secret' })
  const body = signedCallback('secret', { terminalID: 'T1' })
  expect((await partner.call('POST', '/payment/callback', body)).status).toBe(200)
  const figures = async () => (await fetch(`${hub.admin}/metrics`)).text()
  return until('the receipt', async () => {
    const text = await figures()
    return text.includes('hub_announcements_total{stage="played"} 1') && text
  })
}

it('counts one payment through all stages; the dashboard and the docs name only existing metrics', async () => {
  const text = await playedPayment()
  const lines = text.split('\n').map((line) => line.split(/ (?=[^ ]+$)/))
  const series = new Map(lines.map(([name, figure]) => [name, Number(figure)]))
  const value = (name: string) => series.get(name) ?? Number.NaN
  for (const stage of ['queued', 'sent', 'received', 'played'])
    expect(value(`hub_announcements_total{stage="${stage}"}`), stage).toBe(1)
  for (const stage of ['failed', 'expired', 'suppressed'])
    expect(value(`hub_announcements_total{stage="${stage}"}`), stage).toBe(0)
  for (const stage of ['sent', 'received', 'played'])
    expect(value(`hub_announcement_stage_seconds_count{stage="${stage}"}`), stage).toBe(1)
  const callback = 'method="POST",route="/api/v1/partner/payment/callback"'
  expect(value(`hub_http_request_duration_seconds_count{${callback}}`)).toBe(1)
  expect(value(`hub_http_request_duration_seconds_sum{${callback}}`)).toBeGreaterThan(0)
  expect(value('hub_commit_writes_count')).toBeGreaterThan(2)
  expect(value('hub_commit_writes_sum')).toBeGreaterThanOrEqual(value('hub_commit_writes_count'))
  expect(value('hub_commit_duration_seconds_sum')).toBeGreaterThan(0)
  expect(value('hub_ready')).toBe(1)
  expect(value('hub_devices_connected{dialect="sb/1"}')).toBe(1)
  expect(value('hub_devices_connected{dialect="hemipay"}')).toBe(0)
  expect(value('hub_announcement_reports_total{dialect="sb/1",stage="played"}')).toBe(1)
  expect(value('hub_announcement_reports_total{dialect="oneway",stage="delivered"}')).toBe(0)
  expect(value('hub_outbox_open')).toBe(0)
  expect(value('hub_outbox_oldest_age_seconds')).toBe(0)
  expect(value('hub_disk_free_bytes')).toBeGreaterThan(0)
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)

  const metrics = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? ''))
  const ours = [...metrics].filter((name) => name.startsWith('hub_')).sort()
  const table = read('docs/operate.md').matchAll(/^\| `(hub_\w+)` \|/gm)
  expect([...table].map(([, name]) => name).sort()).toEqual(ours)

  const known = (name: string) => metrics.has(name) || metrics.has(baseOf(name))
  const shown = DASHBOARDS.flatMap((path) => dashboard(path).exprs.flatMap(metricsIn))
  const alarms = metricsIn(read('deploy/alerts.yml'))
  expect(Math.min(shown.length, alarms.length)).toBeGreaterThan(12)
  expect([...shown, ...alarms].filter((name) => !known(name))).toEqual([])
  // Each of ours is on a dashboard.
  expect(ours.filter((name) => !shown.map(baseOf).includes(name))).toEqual([])
})

it.each(DASHBOARDS)(
  '%s can be imported: ids are unique, panels do not overlap, and all ask the source that is chosen',
  (path) => {
    const { panels, templating } = dashboard(path)
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'source', type: 'datasource' }))
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
    const queries = panels.filter(({ type }) => type !== 'row')
    expect(queries.filter(({ targets = [] }) => targets.length === 0)).toEqual([])
    const source = { type: 'prometheus', uid: `\${source}` }
    expect(queries.filter(({ datasource }) => JSON.stringify(datasource) !== JSON.stringify(source))).toEqual(
      [],
    )
  },
)

it('computes the text once for all who ask within a second', async () => {
  const clock = createVirtualClock()
  let computed = 0
  const metrics = createMetrics(clock)
  metrics.watch({
    isReady: async () => true,
    devicesConnected: () => {
      computed += 1
      return { ...NONE_CONNECTED, hemipay: computed }
    },
    backlog: async () => ({ open: 0, oldestQueuedAt: undefined }),
    writesWaiting: () => 0,
    diskFreeBytes: async () => 0,
    retentionWaits: () => false,
    databaseAheadMs: () => 0,
    webhooks: async () => NO_WEBHOOKS,
    webhooksUnderWay: () => 0,
  })
  const [first, second] = await Promise.all([metrics.text(), metrics.text()])
  expect(second).toBe(first)
  await clock.wind(999)
  expect(await metrics.text()).toBe(first)
  await clock.wind(1)
  expect(await metrics.text()).toMatch(/^hub_devices_connected\{dialect="hemipay"\} 2$/m)
})

it('counts errors by code and route; those that alarms watch begin with 0, so that rate() sees the first', async () => {
  const metrics = createMetrics(createVirtualClock())
  const route = '/api/v1/partner/payment/callback'
  metrics.request('POST', route, 400, 1, 40014)
  metrics.request('POST', route, 200, 1)
  const text = await metrics.text()
  const counts = [...text.matchAll(/^hub_http_errors_total\{code="(\d+)",route="([^"]+)"\} (\d+)$/gm)]
  expect(counts.map(([, ...labels]) => labels)).toEqual([
    ['40014', route, '1'],
    ['40016', route, '0'],
    ['40018', route, '0'],
    ['50000', route, '0'],
    ['50300', route, '0'],
  ])
})

it('reports the other metrics when one value cannot be read', async () => {
  const clock = createVirtualClock()
  const oldestQueuedAt = clock.now()
  const figures = {
    isReady: async () => false,
    devicesConnected: () => ({ ...NONE_CONNECTED, 'sb/1': 3 }),
    backlog: async () => ({ open: 2, oldestQueuedAt }),
    writesWaiting: () => 4,
    diskFreeBytes: () => Promise.reject(new Error('the folder is gone')),
    retentionWaits: () => true,
    databaseAheadMs: () => -1_500,
    webhooks: async () => ({
      ...{ enabled: 5, failing: 2, pending: 7 },
      disabled: { gone: 1, failing: 3, partner: 10 },
    }),
    webhooksUnderWay: () => 6,
  }
  const metrics = createMetrics(clock)
  metrics.watch(figures)
  await clock.wind(90_000)
  const text = await metrics.text()
  expect(text).toMatch(/^hub_disk_free_bytes Nan$/m)
  expect(text).toMatch(/^hub_ready 0$/m)
  expect(text).toMatch(/^hub_devices_connected\{dialect="sb\/1"\} 3$/m)
  expect(text).toMatch(/^hub_retention_waits 1$/m)
  expect(text).toMatch(/^hub_writes_waiting 4$/m)
  expect(text).toMatch(/^hub_outbox_open 2$/m)
  expect(text).toMatch(/^hub_database_clock_offset_seconds -1.5$/m)
  expect(text).toMatch(/^hub_outbox_oldest_age_seconds 90$/m)
  expect(text).toMatch(/^hub_webhooks_enabled 5$/m)
  expect(text).toMatch(/^hub_webhooks_failing 2$/m)
  expect(text).toMatch(/^hub_webhooks_disabled 4$/m)
  expect(text).toMatch(/^hub_webhook_deliveries_pending 7$/m)
  expect(text).toMatch(/^hub_webhook_attempts_under_way 6$/m)
  expect(text).toMatch(/^hub_webhook_attempts_total\{outcome="delivered"\} 0$/m)
})
