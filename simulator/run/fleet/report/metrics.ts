import { createServer, type Server } from 'node:http'
import { Gauge, Registry } from 'prom-client'
import { messageOf } from '../../../platform/error-text.ts'
import { CannotStart } from '../../../platform/errors.ts'
import { type Figure, figureIn, figuresOfLine } from './figure-table.ts'
import { type Summary, summaryLine } from './lines.ts'

/** Where the metrics are served. */
export interface MetricsAddress {
  host: string
  port: number
}

const PREFIX = 'soundbox_fleet_'
const QUANTILES: Readonly<Record<string, string>> = {
  p50: '0.5',
  p90: '0.9',
  p95: '0.95',
  p99: '0.99',
  max: '1',
}

/** The metric of a figure, by the customs of Prometheus: seconds, and labels in place of several names. */
interface Metric {
  name: string
  labels: Readonly<Record<string, string>>
  /** Of the metric's unit in one of the figure's. */
  scale: number
}

/** Serves the figures of the latest summary at `/metrics`. Rejects with `CannotStart`. */
export async function serveMetrics(
  { host, port }: MetricsAddress,
  latest: () => Summary | undefined,
): Promise<{ url: string; close(): void }> {
  const registry = metricsOf(latest)
  const server = createServer((request, response) => {
    const isThere = request.method === 'GET' && request.url?.split('?')[0] === '/metrics'
    if (!isThere) {
      response.writeHead(404).end('GET /metrics\n')
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await listen(server, { host, port })
  const address = server.address()
  const own = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${own}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A gauge for each metric, which reads the summary when it is asked for. */
export function metricsOf(latest: () => Summary | undefined): Registry {
  const registry = new Registry()
  const figures = figuresOfLine(summaryLine).map((figure) => ({ figure, metric: metricOf(figure) }))
  const read = (which: typeof figures, gauge: Gauge) => {
    const summary = latest()
    gauge.reset()
    for (const { figure, metric } of which) {
      const value = summary && figureIn(summary, figure)
      if (value !== undefined) gauge.set(metric.labels, value * metric.scale)
      // A gauge without labels is 0 otherwise.
      else if (!metric.name.endsWith('_count')) gauge.remove(metric.labels)
    }
  }
  for (const [name, which] of Map.groupBy(figures, ({ metric }) => metric.name)) {
    const [first] = which
    const gauge: Gauge = new Gauge({
      ...{ name, help: first?.figure.about || name, registers: [registry] },
      labelNames: Object.keys(first?.metric.labels ?? {}),
      collect: () => read(which, gauge),
    })
  }
  return registry
}

function metricOf({ path }: Figure): Metric {
  const [first = '', last = ''] = path[0] === 'pay' ? path.slice(1) : path
  if (first === 'links') return { name: `${PREFIX}links`, labels: { state: last }, scale: 1 }
  const quantile = QUANTILES[last]
  const time = snake(first.replace(/Ms$/, '_seconds'))
  if (quantile !== undefined) return { name: PREFIX + time, labels: { quantile }, scale: 0.001 }
  if (first.endsWith('Ms')) return { name: `${PREFIX}${time}_count`, labels: {}, scale: 1 }
  const name = snake([first, last].filter(Boolean).join('_').replace(/PerS$/, '_per_second'))
  return { name: PREFIX + name.replace(/_s$/, '_seconds'), labels: {}, scale: 1 }
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function listen(server: Server, { host, port }: MetricsAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CannotStart(`--metrics: nothing can listen on ${host}:${port}: ${messageOf(error)}`)),
    )
    server.listen(port, host, resolve)
  })
}
