import { useInput, useStdin, useWindowSize } from 'ink'
import { useEffect, useReducer, useState } from 'react'
import type { Speaker } from '../speaker.ts'
import { type Action, actionOf, type ExtraKey } from './keys.ts'
import { type LogLine, logLine } from './log-lines.ts'
import { View } from './view.tsx'

/** More lines than any terminal is high. */
const KEPT_LINES = 200
/** Countdowns count seconds; twice a second they never skip one. */
const REFRESH_MS = 500

export interface AppProps {
  speaker: Speaker
  colour: boolean
  extraLines: readonly string[] | undefined
  extraKeys: readonly ExtraKey[]
  footer: string
  onKey: (key: string) => void
  onQuit: () => void
}

/** The view kept up to date: with the feed, the clock, the terminal's size, and the keys. */
export function App({ speaker, onKey, onQuit, ...rest }: AppProps) {
  const { columns, rows } = useWindowSize()
  const [help, setHelp] = useState(false)
  const log = useLog(speaker)
  useRefresh()

  const acts: Record<Action, () => void> = {
    quit: onQuit,
    reconnect: () => void speaker.reconnect(),
    network: () => toggleNetwork(speaker),
    dismiss: () => speaker.dismiss(),
    help: () => setHelp((open) => !open),
  }
  const { isRawModeSupported } = useStdin()
  useInput(
    (input, key) => {
      const action = actionOf(input, key)
      if (action) acts[action]()
      else if (rest.extraKeys.some((extra) => extra.key === input)) onKey(input)
    },
    { isActive: isRawModeSupported },
  )
  return <View model={{ ...rest, columns, rows, help, log, speaker: speaker.snapshot() }} />
}

function useLog(speaker: Speaker): readonly LogLine[] {
  const [log, setLog] = useState<readonly LogLine[]>([])
  useEffect(
    () =>
      speaker.subscribe((item) => {
        const line = logLine(item)
        if (line) setLog((lines) => [...lines, line].slice(-KEPT_LINES))
      }),
    [speaker],
  )
  return log
}

function useRefresh(): void {
  const [, refresh] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
}

/** Without a link and without a plan to get one, the cable is out. */
function toggleNetwork(speaker: Speaker): void {
  const { link, retryInMs } = speaker.snapshot()
  if (link === 'offline' && retryInMs === undefined) speaker.start()
  else void speaker.cutNetwork()
}
