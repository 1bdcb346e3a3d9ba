import type { Figures } from '../model/accounts.ts'
import type { Cluster } from '../parts/cluster.ts'
import type { HubState } from '../parts/cluster-hub.ts'

/** `no database`: it answers, and takes no payments because PostgreSQL is away. */
export type PanelState = HubState | 'no database'

/** Everything that the screen draws, as plain data that tests can build. */
export interface ClusterModel {
  columns: number
  rows: number
  colour: boolean
  /** Seconds since the start. */
  elapsedS: number
  /** What the cluster is doing, in a few words. */
  status: string
  figures: Figures
  hubs: readonly HubPanel[]
  /** The hub that the keys act on. */
  chosen: number
  balancer: { up: number; ready: number } | undefined
  database: { state: Cluster['database']['state']; forS: number }
  speakers: readonly Dot[]
  /** Newest last. */
  log: readonly LogLine[]
}

export interface HubPanel {
  state: PanelState
  /** Seconds since the state began. */
  forS: number
  speakers: number
  callbacksPerS: number
  /** Callbacks answered with 200 in each of the last seconds, oldest first. */
  history: readonly number[]
}

/** A speaker: the place of its hub, undefined when it is not connected. */
export interface Dot {
  hub: number | undefined
  isSpeaking: boolean
}

export interface LogLine {
  atS: number
  text: string
}

/** What only the screen knows. */
export interface ScreenState {
  columns: number
  rows: number
  colour: boolean
  chosen: number
  startedAtMs: number
  log: readonly LogLine[]
}

/** More than the widest panel shows. */
const HISTORY_S = 80

export function modelOf(cluster: Cluster, screen: ScreenState, nowMs: number): ClusterModel {
  const { startedAtMs, ...drawn } = screen
  const { line, database } = cluster
  const places = cluster.places()
  const since = (ms: number) => Math.max(0, Math.floor((nowMs - ms) / 1000))
  const hubs = cluster.hubs.map((hub, index): HubPanel => {
    const isAway = hub.state === 'up' && line !== undefined && !line.balancer.isReady(index)
    return {
      state: isAway && database.state !== 'up' ? 'no database' : hub.state,
      forS: since(hub.sinceMs),
      speakers: places.filter((place) => place === index).length,
      callbacksPerS: hub.callbacks.rate(nowMs),
      history: hub.callbacks.last(nowMs, HISTORY_S),
    }
  })
  return {
    ...drawn,
    elapsedS: since(startedAtMs),
    status: statusOf(cluster),
    figures: cluster.accounts.figures(),
    hubs,
    balancer: line && {
      up: line.balancer.up(),
      ready: hubs.filter((_, index) => line.balancer.isReady(index)).length,
    },
    database: { state: database.state, forS: since(database.sinceMs) },
    speakers: Array.from({ length: cluster.speakers }, (_, index) => ({
      hub: places[index],
      isSpeaking: line?.fleet.roster.isSpeaking(index) === true,
    })),
  }
}

function statusOf({ phase, isPaying, line, speakers, perSecond, accounts }: Cluster): string {
  switch (phase) {
    case 'starting':
      return line ? `${line.shops.ready.length} of ${speakers} speakers are registered` : 'it starts'
    case 'running':
      return isPaying ? `${perSecond} payments a second` : 'payments are paused'
    case 'settling':
      return `waits for ${accounts.figures().underWay} payments; q again ends at once`
    case 'settled':
      return 'every payment has its outcome'
  }
}
