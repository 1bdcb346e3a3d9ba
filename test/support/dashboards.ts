import { readFileSync } from 'node:fs'

/** The dashboards for Grafana. */
export const DASHBOARDS = ['server/operate/dashboard.json', 'deploy/dashboard-hubs.json']

interface Panel {
  id: number
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: object
  targets?: { expr: string }[]
}

/** A dashboard with the queries of all its panels. */
export function dashboard(path: string) {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const parsed: { panels: Panel[]; templating: { list: object[] } } = JSON.parse(text)
  const exprs = parsed.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  return { ...parsed, exprs }
}
