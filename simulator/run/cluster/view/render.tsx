import type { WriteStream } from 'node:tty'
import { render, useInput, useStdin, useWindowSize } from 'ink'
import { useRef } from 'react'
import type { Clock } from '../../../platform/clock.ts'
import { useRefresh } from '../../../screen/refresh.ts'
import type { Cluster } from '../parts/cluster.ts'
import { type ClusterAction, clusterActionOf } from './keys.ts'
import { type LogLine, modelOf } from './model.ts'
import { ClusterView } from './view.tsx'

const REFRESH_MS = 250
const FRAMES_PER_SECOND = 10

export interface ClusterScreenOptions {
  cluster: Cluster
  clock: Clock
  log: readonly LogLine[]
  stdout: WriteStream
  stdin: NodeJS.ReadStream
  /** Called when somebody wants to end: `leave` without waiting for payments. */
  onEnd: (how: 'quit' | 'leave') => void
}

/** Shows a cluster in the terminal until it is closed. Keys act on the cluster. */
export function renderCluster(options: ClusterScreenOptions): { close(): Promise<void> } {
  const { stdout, stdin, clock } = options
  const ink = render(<ClusterApp {...options} startedAtMs={clock.now()} colour={stdout.hasColors()} />, {
    ...{ stdout, stdin, exitOnCtrlC: false, alternateScreen: true, incrementalRendering: true },
    maxFps: FRAMES_PER_SECOND,
  })
  return {
    async close() {
      ink.unmount()
      await ink.waitUntilExit()
    },
  }
}

function ClusterApp({
  cluster,
  clock,
  log,
  onEnd,
  startedAtMs,
  colour,
}: ClusterScreenOptions & { startedAtMs: number; colour: boolean }) {
  const size = useWindowSize()
  const refresh = useRefresh(REFRESH_MS)
  const chosen = useRef(0)
  const { isRawModeSupported } = useStdin()
  useInput(
    (input, key) => {
      // Keys that are pressed quickly may come together.
      for (const character of input) {
        const action = clusterActionOf(character, key)
        if (action?.do === 'choose') chosen.current = action.hub
        else if (action?.do === 'quit' || action?.do === 'leave') onEnd(action.do)
        else if (action) act(cluster, chosen.current, action.do)
      }
      refresh()
    },
    { isActive: isRawModeSupported },
  )
  const screen = { ...size, colour, chosen: chosen.current, startedAtMs, log }
  return <ClusterView model={modelOf(cluster, screen, clock.now())} />
}

function act(
  cluster: Cluster,
  chosen: number,
  what: Exclude<ClusterAction['do'], 'choose' | 'quit' | 'leave'>,
) {
  const hub = cluster.hubs[chosen]
  if (!hub) return
  switch (what) {
    case 'kill':
      return cluster.kill(hub)
    case 'freeze':
      return cluster.freeze(hub)
    case 'drain':
      return cluster.drain(hub)
    case 'start':
      return cluster.startHub(hub)
    case 'database':
      return cluster.database.state === 'up' ? cluster.crashDatabase() : cluster.startDatabase()
    case 'pay':
      return cluster.pay(!cluster.isPaying)
  }
}
