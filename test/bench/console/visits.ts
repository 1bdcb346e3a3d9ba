import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '../../server/console/person.ts'
import { percentile } from '../../support/percentile.ts'
import { type Pids, usageOf, usedBetween } from '../parts/process.ts'
import type { About, BenchPage } from './pages.ts'

/** What a page takes. Milliseconds, of which CPU is that of hub and database. */
export interface Visited {
  p50: number
  p95: number
  worst: number
  cpu: number
  kilobytes: number
}

/** Asks for a page so often, one after the other. Throws for an answer that is no page. */
export async function visit(
  person: Person,
  pids: Pids,
  page: BenchPage,
  about: About,
  { warmUp, times }: { warmUp: number; times: number },
): Promise<Visited> {
  const took: number[] = []
  let bytes = 0
  const get = async (round: number) => {
    const path = page.path(about, round)
    const since = performance.now()
    const { status, text } = await person.get(path)
    const ms = performance.now() - since
    if (status >= 400 || (status >= 300 && !path.startsWith('/search')))
      throw new Error(`${path} answered ${status}: ${text.replace(/<[^>]*>|\s+/g, ' ').slice(-500)}`)
    bytes += text.length
    if (page.keptMs !== undefined) await sleep(page.keptMs)
    return ms
  }
  for (let round = 0; round < warmUp; round += 1) await get(round)
  bytes = 0
  const before = usageOf(pids)
  for (let round = 0; round < times; round += 1) took.push(await get(warmUp + round))
  const used = usedBetween(before, usageOf(pids))
  const sorted = took.toSorted((one, other) => one - other)
  return {
    ...{ p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), worst: sorted.at(-1) ?? Number.NaN },
    ...{ cpu: (used?.cpuMs ?? Number.NaN) / times, kilobytes: bytes / times / 1_000 },
  }
}
