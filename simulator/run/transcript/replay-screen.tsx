import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { useEffect } from 'react'
import { systemClock } from '../../platform/clock.ts'
import { App } from '../../screen/app.tsx'
import { clockText } from '../../screen/drawing/clock-text.ts'
import type { ExtraKey } from '../../screen/keys/keys.ts'
import { useRefresh } from '../../screen/refresh.ts'
import { createReplay, type Replay, type ReplayState } from './replay.ts'
import type { Transcript } from './transcript.ts'

/** How far an arrow key jumps. */
const SEEK_MS = 5_000

const KEYS: readonly ExtraKey[] = [
  { key: 'space', presses: [' '], label: 'pause', help: 'pause or continue' },
  { key: '←→', presses: ['left', 'right'], label: '5 s', help: '5 seconds back or forward' },
  { key: ',.', presses: [',', '.'], label: 'step', help: 'one step back or forward' },
  { key: '+-', presses: ['+', '=', '-'], label: 'speed', help: 'play faster or slower' },
]

export interface ReplayScreen {
  /** Resolves when somebody quits. */
  closed: Promise<undefined>
  /** Takes the screen down and gives the terminal back. */
  close(): Promise<void>
}

/** Shows a recorded session on the speaker's screen until somebody quits. */
export function renderReplay(
  transcript: Transcript,
  options: { speed: number; fromMs: number; maxIdleMs: number },
  { stdout, stdin, tmux }: { stdout: WriteStream; stdin: NodeJS.ReadStream; tmux: string | undefined },
): ReplayScreen {
  const replay = createReplay(transcript, { ...options, clock: systemClock })
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  const app = (
    <ReplayApp
      replay={replay}
      complete={transcript.complete}
      colour={stdout.hasColors()}
      tmux={tmux}
      onQuit={() => resolve(undefined)}
    />
  )
  const ink = render(app, { stdout, stdin, exitOnCtrlC: false, alternateScreen: true })
  replay.play()
  return {
    closed,
    close: async () => {
      replay.pause()
      ink.unmount()
      await ink.waitUntilExit()
    },
  }
}

export interface ReplayAppProps {
  replay: Replay
  complete: boolean
  colour: boolean
  tmux: string | undefined
  onQuit: () => void
}

/** The speaker's screen with the keys of a player. What is open stays open over a jump. */
export function ReplayApp({ replay, complete, colour, tmux, onQuit }: ReplayAppProps) {
  const state = useReplayState(replay)
  return (
    <App
      jump={state.jumps}
      speaker={replay}
      colour={colour}
      tmux={tmux}
      extraLines={undefined}
      extraKeys={KEYS}
      footer={progressOf(state, complete)}
      onKey={(press) => ACTS[press]?.(replay)}
      onQuit={onQuit}
    />
  )
}

const ACTS: Readonly<Record<string, (replay: Replay) => void>> = {
  left: (replay) => replay.seekBy(-SEEK_MS),
  right: (replay) => replay.seekBy(SEEK_MS),
  ' ': (replay) => replay.toggle(),
  ',': (replay) => replay.step(-1),
  '.': (replay) => replay.step(1),
  '+': (replay) => replay.changeSpeed(1),
  '=': (replay) => replay.changeSpeed(1),
  '-': (replay) => replay.changeSpeed(-1),
}

function useReplayState(replay: Replay): ReplayState {
  const refresh = useRefresh()
  useEffect(() => replay.onChange(refresh), [replay, refresh])
  return replay.state()
}

/** "▶ 0:42 / 3:05 · 4×" */
export function progressOf(state: ReplayState, complete: boolean): string {
  const sign = state.atEnd ? '■' : state.paused ? '‖' : '▶'
  const [position, length] = [state.positionMs, state.lengthMs].map((ms) => clockText(ms / 1000))
  const text = `${sign} ${position} / ${length} · ${state.speed}×`
  return complete || !state.atEnd ? text : `${text} · cut off here`
}
