import type { OwnHub } from '../../support/processes/own-hub.ts'

/** Reads /metrics. Returns a function that finds a figure by its name and labels; without labels, the sum of its series. */
export async function readMetrics(hub: Pick<OwnHub, 'admin'>): Promise<(name: string) => number> {
  const text = await (await fetch(`${hub.admin()}/metrics`)).text()
  const values = new Map(
    text.split('\n').flatMap((line) => {
      const space = line.lastIndexOf(' ')
      return line.startsWith('#') || space < 0 ? [] : [[line.slice(0, space), Number(line.slice(space + 1))]]
    }),
  )
  return (name) => {
    const all = [...values].filter(([series]) => series === name || series.startsWith(`${name}{`))
    return all.length === 0 ? Number.NaN : all.reduce((sum, [, value]) => sum + value, 0)
  }
}
