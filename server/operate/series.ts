import type { Counter, Histogram, Metric, Registry } from 'prom-client'

/** What a metric is called, and what it is. */
export interface About {
  name: string
  help: string
  type: 'counter' | 'histogram'
}

/** What a series is made with: it is registered nowhere by itself. */
export interface OfSeries {
  name: string
  help: string
  registers: []
}

/**
 * Registers a metric with labels, each series of which is made once, as a metric without any, and then counts by
 * itself. Answers what adds a series.
 *
 * Why not the library's own labels: at each count it writes them into a text, by which V8 then looks for the series.
 * For the two metrics of a request that was 5 % of all that the hub's thread does for a callback.
 * Held by test/server/operate/metrics.test.ts.
 */
export function createSeries<M extends Counter | Histogram>(
  registry: Registry,
  { name, help, type }: About,
  make: (options: OfSeries) => M,
): (labels: Record<string, string>) => M {
  const series: { labels: Record<string, string>; metric: M }[] = []

  async function get() {
    const told = series.map(async ({ labels, metric }) => {
      const { values } = await metric.get()
      return values.map((value) => ({ ...value, labels: { ...value.labels, ...labels } }))
    })
    return { name, help, type, values: (await Promise.all(told)).flat() }
  }

  // The registry asks a metric for its name and for this; its type names the library's own classes.
  registry.registerMetric({ name, help, type, get } as unknown as Metric)
  return (labels) => {
    const metric = make({ name, help, registers: [] })
    series.push({ labels, metric })
    return metric
  }
}
