import type { OwnHub } from '../../support/processes/own-hub.ts'

/** Reads /metrics. Returns a function that finds a figure by its name and labels. */
export async function readMetrics(hub: Pick<OwnHub, 'admin'>): Promise<(name: string) => number> {
  const text = await (await fetch(`${hub.admin()}/metrics`)).text()
  const values = new Map(
    text.split('\n').flatMap((line) => {
      const space = line.lastIndexOf(' ')
      return line.startsWith('#') || space < 0 ? [] : [[line.slice(0, space), Number(line.slice(space + 1))]]
    }),
  )
  return (name) => values.get(name) ?? Number.NaN
}
