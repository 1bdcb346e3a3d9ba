import { useAnimation, useInput, useStdin, useStdout, useWindowSize } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { FeedItem } from '../speaker/feed.ts'
import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import { copyToClipboard } from './clipboard.ts'
import { control, toggleFault } from './control.ts'
import { isAlarm } from './device/indicators.ts'
import type { Area } from './drawing/area.ts'
import { type ExtraKey, pressNames } from './keys/keys.ts'
import { logRow } from './log/rows.ts'
import { type Effect, pressed } from './press.ts'
import { useRefresh } from './refresh.ts'
import type { Controls, SpeakerSource } from './source.ts'
import { FIRST_UI, type UiState } from './ui-state.ts'
import { View } from './view.tsx'
import type { Page, ViewModel } from './view-model.ts'

/** Some minutes of a busy shop; about two megabytes with frames of at most 2 KiB. */
const KEPT_ITEMS = 1_000
/** A sentence grows by a clip every 220 ms; the rings run twice as often. */
const BEAT_MS = 110
/** An alarm is to be seen, and not to be in the way. */
const BLINK_MS = 600

export interface AppProps {
  speaker: SpeakerSource
  /** What the keys control. Omitted: no control keys. */
  controls?: Controls | undefined
  colour: boolean
  /** The value of TMUX, for the clipboard. */
  tmux: string | undefined
  extraLines: readonly string[] | undefined
  extraKeys: readonly ExtraKey[]
  page?: Page | undefined
  footer: string
  onKey: (key: string) => void
  /** Somebody pressed `q` or Ctrl+C; the embedder closes the screen or goes back. */
  onQuit: () => void
  /** Somebody pressed Esc while nothing was open. */
  onEscape?: () => void
  quitLabel?: string | undefined
  /** The part of the terminal to fill; all of it by default. */
  size?: Area | undefined
  /** Changes when the source has jumped to another time. */
  jump?: number
  /** Copies a text; to the clipboard of the terminal by default. */
  copy?: (text: string) => void
}

/** Keeps the view up to date with the feed, the clock, the terminal's size and the keys. */
export function App({
  speaker,
  controls,
  onKey,
  onQuit,
  onEscape,
  page,
  quitLabel = 'quit',
  size,
  tmux,
  copy,
  jump = 0,
  ...rest
}: AppProps) {
  const { stdout } = useStdout()
  const toClipboard = (text: string) =>
    void copyToClipboard(text, { write: (sequence) => stdout.write(sequence), tmux })
  const terminal = useWindowSize()
  const ui = useUi((press, now) => {
    const after = pressed(press, { ...model, ui: now })
    if (after.effect) perform(after.effect)
    return after.ui
  })
  const log = useLog(speaker, jump)
  useRefresh()
  const snapshot = speaker.snapshot()
  const beat = useBeat(snapshot)
  const { columns, rows } = size ?? terminal
  const shared = { ...rest, columns, rows, page, quitLabel, controls: controls !== undefined }
  const model: ViewModel = { ...shared, ui, log, beat, speaker: snapshot }

  const perform = (effect: Effect) => {
    if (effect.kind === 'quit') onQuit()
    else if (effect.kind === 'leave') onEscape?.()
    else if (effect.kind === 'extra') onKey(effect.press)
    else if (effect.kind === 'copy') (copy ?? toClipboard)(effect.text)
    else if (controls && effect.kind === 'control') control(effect.action, speaker, controls)
    else if (controls && effect.kind === 'fault') toggleFault(effect.letter, speaker, controls)
  }
  return <View model={model} />
}

/** The frame of what moves: the loudspeaker while it sounds, else an alarm. */
function useBeat(speaker: SpeakerSnapshot): number {
  const isHeard = speaker.sounding !== undefined
  const isActive = isHeard || isAlarm(speaker)
  const { frame } = useAnimation({ interval: isHeard ? BEAT_MS : BLINK_MS, isActive })
  return isActive ? frame : 0
}

/** The view's choices. `onPress` returns those after a key. */
function useUi(onPress: (press: string, ui: UiState) => UiState): UiState {
  const [ui, setUi] = useState(FIRST_UI)
  // A second key may arrive before the next render.
  const current = useRef(ui)
  const { isRawModeSupported } = useStdin()
  useInput(
    (input, key) => {
      for (const press of pressNames(input, key)) current.current = onPress(press, current.current)
      setUi(current.current)
    },
    { isActive: isRawModeSupported },
  )
  return ui
}

/** The newest items of the feed. A source may tell its past at once; a new `jump` has another past. */
function useLog(speaker: SpeakerSource, jump: number): readonly FeedItem[] {
  const [log, setLog] = useState<readonly FeedItem[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a jump the same source has another past
  useEffect(() => {
    const past: FeedItem[] = []
    let isPast = true
    const unsubscribe = speaker.subscribe((item) => {
      if (!logRow(item)) return
      if (isPast) past.push(item)
      else setLog((items) => [...items, item].slice(-KEPT_ITEMS))
    })
    isPast = false
    setLog(past.slice(-KEPT_ITEMS))
    return unsubscribe
  }, [speaker, jump])
  return log
}
