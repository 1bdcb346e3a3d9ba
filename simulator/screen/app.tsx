import { useAnimation, useInput, useStdin, useStdout, useWindowSize } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { FeedItem } from '../speaker/feed.ts'
import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import { copyToClipboard, newestThatFit } from './clipboard.ts'
import { act, toggleFault } from './control.ts'
import { isAlarm } from './device/indicators.ts'
import type { Area } from './drawing/area.ts'
import { type Action, actionOf, type ExtraKey, isExtra, KEYS, pressNames } from './keys/keys.ts'
import { copyLine, entriesOf } from './log/entries.ts'
import { furthestScroll } from './log/frame-view.tsx'
import { framedPackets } from './log/frames.ts'
import { closeReading, LOG_MOVES, markedEntry, openReading, readPress, stepBack } from './log/reading.ts'
import { logRow } from './log/rows.ts'
import { keyContext, overlayPlace, placementOf, readingArea } from './placement.ts'
import { useRefresh } from './refresh.ts'
import type { Controls, SpeakerSource } from './source.ts'
import { FIRST_UI, moveFrame, openFrame, toggleOverlay, type UiState } from './ui-state.ts'
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
  const clipboard = useClipboard(tmux)
  const terminal = useWindowSize()
  const [ui, current, setUi] = useUi()
  const log = useLog(speaker, jump)
  useRefresh()
  const snapshot = speaker.snapshot()
  const beat = useBeat(snapshot)
  const { columns, rows } = size ?? terminal
  const shared = { ...rest, columns, rows, page, quitLabel, controls: controls !== undefined }
  const model: ViewModel = { ...shared, ui, log, beat, speaker: snapshot }

  const perform = (action: Action) => {
    if (action === 'quit') onQuit()
    else if (!controls || !act(action, speaker, controls)) setUi(chosen(current(), action, model))
  }
  const onPlainPress = (press: string) => {
    const action = actionOf(press, keyContext(model))
    if (action) perform(action)
    else if (page?.key === press) setUi(toggleOverlay(current(), 'page'))
    else if (isExtra(press, rest.extraKeys)) onKey(press)
    else if (LOG_MOVES.has(press)) {
      setUi(openLog(current(), model))
      onLogPress(press)
    } else if (press === 'escape' && current().zoomed) setUi({ ...current(), zoomed: false })
    else if (press === 'escape') onEscape?.()
  }
  /** The keys of the open log come first; those of the speaker and of the embedder work, too. */
  const onLogPress = (press: string) => {
    const now = current()
    const read = readPress(now.reading, press, { log, area: readingArea({ ...model, ui: now }) })
    if (read) setUi({ ...now, reading: read })
    else if (press === 'c' || press === 'C') copyLines(press === 'c')
    else if (press === 'return') setUi(lookInto(now, log))
    else if (press === '?') setUi(toggleOverlay(now, 'log help'))
    else if (press === 'escape' || press === 'q' || press === 'l') setUi(leftLog(now, press))
    else {
      const action = actionOf(press, keyContext(model))
      if (action && controls) act(action, speaker, controls)
      else if (isExtra(press, rest.extraKeys)) onKey(press)
    }
  }
  const copyLines = (isOne: boolean) => {
    const now = current()
    const one = markedEntry(now.reading, log)
    const all = isOne ? (one ? [one] : []) : entriesOf(log, now.reading)
    const lines = newestThatFit(all.map(copyLine))
    if (lines.length > 0) copyText(lines.join('\n'))
    setUi({ ...now, notice: copiedText(lines, all.length) })
  }
  const copyText = copy ?? clipboard
  const onOverlayPress = (press: string) => {
    const { overlay } = current()
    if (press === 'ctrl+c') onQuit()
    else if (overlay === 'log') onLogPress(press)
    else if (closes(press, overlay, page)) setUi(toggleOverlay(current(), overlay))
    else if (overlay === 'frame' && press === 'c') {
      const packet = current().frame.packet ?? framedPackets(log).at(-1)
      if (!packet?.note.message) return
      copyText(packet.note.message.frame)
      setUi({ ...current(), notice: 'copied the frame' })
    } else if (overlay === 'frame') setUi(bounded(moveFrame(current(), press, log), model))
    else if (overlay === 'faults' && controls) toggleFault(press, speaker, controls)
  }
  usePresses((press) => {
    if (current().notice !== '') setUi({ ...current(), notice: '' })
    if (current().overlay === 'none') onPlainPress(press)
    else onOverlayPress(press)
  })
  return <View model={model} />
}

/** The frame of what moves: the loudspeaker while it sounds, else an alarm. */
function useBeat(speaker: SpeakerSnapshot): number {
  const isHeard = speaker.sounding !== undefined
  const isActive = isHeard || isAlarm(speaker)
  const { frame } = useAnimation({ interval: isHeard ? BEAT_MS : BLINK_MS, isActive })
  return isActive ? frame : 0
}

/** Copies texts to the clipboard of the terminal. */
function useClipboard(tmux: string | undefined): (text: string) => void {
  const { stdout } = useStdout()
  return (text) => {
    void copyToClipboard(text, { write: (sequence) => stdout.write(sequence), tmux })
  }
}

/** The view's choices, as state and as their latest value: a second key may arrive before the next render. */
function useUi(): [UiState, () => UiState, (next: UiState) => void] {
  const [ui, setUi] = useState(FIRST_UI)
  const current = useRef(ui)
  const set = (next: UiState) => {
    current.current = next
    setUi(next)
  }
  return [ui, () => current.current, set]
}

function usePresses(onPress: (press: string) => void): void {
  const { isRawModeSupported } = useStdin()
  useInput(
    (input, key) => {
      for (const press of pressNames(input, key)) onPress(press)
    },
    { isActive: isRawModeSupported },
  )
}

/** The view's choices after a key. */
function chosen(ui: UiState, action: Action, model: ViewModel): UiState {
  switch (action) {
    case 'help':
    case 'faults':
    case 'frame':
      return toggleOverlay(ui, action)
    case 'log':
      return openLog(ui, model)
    case 'search': {
      const open = openLog(ui, model)
      const context = { log: model.log, area: readingArea(model) }
      return { ...open, reading: readPress(open.reading, '/', context) ?? open.reading }
    }
    case 'invert':
      return { ...ui, inverted: !ui.inverted }
    case 'zoom':
      return { ...ui, zoomed: !ui.zoomed }
    case 'quit':
    case 'dismiss':
    case 'network':
    case 'power':
    case 'reconnect':
    case 'quieter':
    case 'louder':
      return ui
  }
}

function openLog(ui: UiState, model: ViewModel): UiState {
  const reading = openReading(ui.reading, { log: model.log, area: readingArea(model) })
  return { ...toggleOverlay(ui, 'log'), reading }
}

/** Esc undoes one thing at a time; `q` and `l` close the log at once. */
function leftLog(ui: UiState, press: string): UiState {
  const back = press === 'escape' ? stepBack(ui.reading) : undefined
  if (back) return { ...ui, reading: back }
  return { ...toggleOverlay(ui, 'log'), reading: closeReading(ui.reading) }
}

/** Opens the frame of the marked packet, or unfolds the marked telemetry. */
function lookInto(ui: UiState, log: readonly FeedItem[]): UiState {
  const entry = markedEntry(ui.reading, log)
  if (!entry) return ui
  if (entry.count > 1) return { ...ui, reading: { ...ui.reading, unfolded: true } }
  const item = log[entry.first]
  return item?.kind === 'packet' && item.note.message ? openFrame(ui, item) : ui
}

/** "copied 12 lines", and how many did not fit. */
function copiedText(lines: readonly string[], all: number): string {
  if (lines.length === 0) return 'nothing to copy'
  const what = lines.length === 1 ? `1 line: ${lines[0]}` : `${lines.length} lines`
  return lines.length < all ? `copied the newest ${what} of ${all}` : `copied ${what}`
}

/**
 * Esc, Enter and `q` close every overlay; the key that opened it does, too, unless the overlay uses that key itself.
 */
function closes(press: string, overlay: UiState['overlay'], page: Page | undefined): boolean {
  if (['escape', 'return', 'q'].includes(press)) return true
  if (overlay === 'page') return press === page?.key
  if (overlay === 'log help') return press === '?'
  return overlay !== 'faults' && KEYS.some(({ key, action }) => key === press && action === overlay)
}

/** Stops scrolling at the frame's end. */
function bounded(ui: UiState, model: ViewModel): UiState {
  const packet = ui.frame.packet ?? framedPackets(model.log).at(-1)
  if (!packet) return ui
  const { area } = overlayPlace({ ...model, ui }, placementOf(model, undefined))
  const furthest = furthestScroll(packet, area)
  return { ...ui, frame: { packet, scroll: Math.min(ui.frame.scroll, furthest) } }
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
