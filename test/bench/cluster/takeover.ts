import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBalancer } from '../../../simulator/run/cluster/parts/balancer.ts'
import { gatherEars } from '../../force/parts/ear.ts'
import { createLightSpeakers } from '../../force/parts/light-speaker.ts'
import { readMetrics } from '../../force/parts/metrics.ts'
import type { OwnHub } from '../../support/processes/own-hub.ts'
import { waitUntil } from '../../support/wait.ts'
import { startHubIn } from '../parts/market.ts'
import { type Figure, ratio, shareOf } from '../parts/table.ts'
import type { Ground } from './ground.ts'

const HUBS = 3
/** Ends a measurement that hangs. A loaded machine does not reach it. */
const SOON_MS = 600_000

export const TAKEOVER = { speakers: 300, times: 3 }

type Failure = 'killed' | 'frozen'

/**
 * How long until every speaker of a hub that was killed, or that hangs, is welcomed by another one, compared with the
 * time in which all connect at the start. The speakers do not pause before they reconnect, so this is the time beyond
 * their own pause; and all come at once.
 */
export async function benchTakeover(ground: Ground, work = TAKEOVER): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const url = await ground.database()
    const hubs = await Promise.all(Array.from({ length: HUBS }, () => openHub(url, opened)))
    const balancer = await openBalancer(hubs)
    opened.defer(() => balancer.close())
    const speakers = createLightSpeakers(ground.shops.slice(0, work.speakers), {
      url: balancer.url,
      random: () => 0,
    })
    const ears = gatherEars(speakers)
    opened.defer(() => ears.stop())
    for (const speaker of speakers) speaker.start()
    const connectedMs = await ears.untilOnline(SOON_MS)
    if (connectedMs === undefined) throw new Error('not all speakers have connected')

    /** Milliseconds until the last speaker of the hub is welcomed elsewhere. */
    async function takenOver(hub: OwnHub, fail: () => Promise<void> | void): Promise<number> {
      const away = (await readMetrics(hub))('hub_devices_connected')
      const failedAt = performance.now()
      const moved = () => speakers.filter(({ welcomedAt }) => welcomedAt > failedAt)
      await fail()
      if (!(await waitUntil(() => moved().length >= away && ears.online() === speakers.length, SOON_MS)))
        throw new Error(`only ${moved().length} of ${away} speakers are welcomed elsewhere`)
      return Math.max(...moved().map(({ welcomedAt }) => welcomedAt - failedAt))
    }
    const untilWhole = async () => {
      if (!(await waitUntil(() => balancer.up() === HUBS && ears.online() === speakers.length, SOON_MS)))
        throw new Error('a hub or a speaker did not come back')
    }
    const failures: Record<Failure, (hub: OwnHub) => Promise<number>> = {
      async killed(hub) {
        const tookMs = await takenOver(hub, hub.kill)
        await hub.start()
        return tookMs
      },
      async frozen(hub) {
        const tookMs = await takenOver(hub, () => void process.kill(hub.pid(), 'SIGSTOP'))
        process.kill(hub.pid(), 'SIGCONT')
        return tookMs
      },
    }
    const measured: Record<Failure, number[]> = { killed: [], frozen: [] }
    for (let time = 0; time < work.times; time += 1) {
      for (const [index, failure] of (['killed', 'frozen'] as const).entries()) {
        const hub = hubs[(2 * time + index) % HUBS]
        if (!hub) throw new Error('there is such a hub')
        measured[failure].push(await failures[failure](hub))
        await untilWhole()
      }
    }
    return Object.entries(measured).map(([failure, times]) => {
      const longest = Math.max(...times)
      return {
        what: `a hub ${failure}, until its ${work.speakers / HUBS} speakers are welcomed elsewhere, longest of ${times.length}`,
        value: seconds(longest),
        peer: `all ${work.speakers} speakers connect at the start`,
        peerValue: seconds(connectedMs),
        ratio: ratio(shareOf(times, 0.5), connectedMs),
        goal: 'at most 10 s',
      }
    })
  } finally {
    await opened.disposeAsync()
  }
}

async function openHub(url: string, opened: AsyncDisposableStack): Promise<OwnHub> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const hub = await startHubIn(dataDir, { env: { HUB_DATABASE_URL: url } })
  // Also one that is frozen ends.
  opened.defer(() => hub.kill())
  return hub
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(3)} s`
