import { useAnimation, useInput, useStdin, useWindowSize } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { FeedItem } from '../speaker/feed.ts'
import { act, toggleFault } from './control.ts'
import type { Area } from './drawing/area.ts'
import { type Action, actionOf, type ExtraKey, KEYS, pressNames } from './keys/keys.ts'
import { furthestScroll } from './log/frame-view.tsx'
import { framedPackets } from './log/frames.ts'
import { logRow } from './log/rows.ts'
import { keyContext, overlayArea, placementOf } from './placement.ts'
import { useRefresh } from './refresh.ts'
import type { Controls, SpeakerSource } from './source.ts'
import { FIRST_UI, moveFrame, nextFilter, toggleOverlay, type UiState } from './ui-state.ts'
import { View } from './view.tsx'
import type { Page, ViewModel } from './view-model.ts'

/** More items than a terminal has rows; about a megabyte with frames of at most 2 KiB. */
const KEPT_ITEMS = 400
/** A sentence grows by a clip every 220 ms; the cone moves twice as often. */
const BEAT_MS = 110

export interface AppProps {
  speaker: SpeakerSource
  /** What the keys control. Omitted: no control keys. */
  controls?: Controls | undefined
  colour: boolean
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
  ...rest
}: AppProps) {
  const terminal = useWindowSize()
  const [ui, current, setUi] = useUi()
  const log = useLog(speaker)
  useRefresh()
  const snapshot = speaker.snapshot()
  const { frame: beat } = useAnimation({ interval: BEAT_MS, isActive: snapshot.sounding !== undefined })
  const { columns, rows } = size ?? terminal
  const shared = { ...rest, columns, rows, page, quitLabel, controls: controls !== undefined }
  const model: ViewModel = { ...shared, ui, log, beat, speaker: snapshot }

  const perform = (action: Action) => {
    if (action === 'quit') onQuit()
    else if (!controls || !act(action, speaker, controls)) setUi(chosen(current(), action))
  }
  const onPlainPress = (press: string) => {
    const action = actionOf(press, keyContext(model))
    if (action) perform(action)
    else if (page?.key === press) setUi(toggleOverlay(current(), 'page'))
    else if (rest.extraKeys.some((extra) => extra.key === press)) onKey(press)
    else if (press === 'escape' && current().zoomed) setUi({ ...current(), zoomed: false })
    else if (press === 'escape') onEscape?.()
  }
  const onOverlayPress = (press: string) => {
    const { overlay } = current()
    if (press === 'ctrl+c') onQuit()
    else if (closes(press, overlay, page)) setUi(toggleOverlay(current(), overlay))
    else if (overlay === 'frame') setUi(bounded(moveFrame(current(), press, log), model))
    else if (overlay === 'faults' && controls) toggleFault(press, speaker, controls)
  }
  usePresses((press) => (current().overlay === 'none' ? onPlainPress(press) : onOverlayPress(press)))
  return <View model={model} />
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
function chosen(ui: UiState, action: Action): UiState {
  switch (action) {
    case 'help':
    case 'faults':
    case 'frame':
      return toggleOverlay(ui, action)
    case 'filter':
      return nextFilter(ui)
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

/**
 * Esc, Enter and `q` close every overlay; the key that opened it does, too, unless the overlay uses that key itself.
 */
function closes(press: string, overlay: UiState['overlay'], page: Page | undefined): boolean {
  if (['escape', 'return', 'q'].includes(press)) return true
  if (overlay === 'page') return press === page?.key
  return overlay !== 'faults' && KEYS.some(({ key, action }) => key === press && action === overlay)
}

/** Stops scrolling at the frame's end. */
function bounded(ui: UiState, model: ViewModel): UiState {
  const packet = ui.frame.packet ?? framedPackets(model.log).at(-1)
  if (!packet) return ui
  const area = overlayArea({ ...model, ui }, placementOf(model, undefined))
  const furthest = furthestScroll(packet, area)
  return { ...ui, frame: { packet, scroll: Math.min(ui.frame.scroll, furthest) } }
}

function useLog(speaker: SpeakerSource): readonly FeedItem[] {
  const [log, setLog] = useState<readonly FeedItem[]>([])
  useEffect(
    () =>
      speaker.subscribe((item) => {
        if (logRow(item)) setLog((items) => [...items, item].slice(-KEPT_ITEMS))
      }),
    [speaker],
  )
  return log
}
