import { newestThatFit } from './clipboard.ts'
import type { ControlAction } from './control.ts'
import { type Action, actionOf, isExtra, KEYS } from './keys/keys.ts'
import { copyLine, entriesOf } from './log/entries.ts'
import { furthestScroll } from './log/frame-view.tsx'
import { framedPackets } from './log/frames.ts'
import { closeReading, LOG_MOVES, markedEntry, openReading, readPress, stepBack } from './log/reading.ts'
import { keyContext, overlayPlace, placementOf, readingArea } from './placement.ts'
import { moveFrame, openFrame, toggleOverlay, type UiState } from './ui-state.ts'
import type { ViewModel } from './view-model.ts'

/** What a press asks for besides the view. */
export type Effect =
  /** `leave`: Esc, and nothing was open. */
  | { kind: 'quit' | 'leave' }
  | { kind: 'control'; action: ControlAction }
  | { kind: 'fault'; letter: string }
  /** A key of the embedder. */
  | { kind: 'extra'; press: string }
  | { kind: 'copy'; text: string }

export interface Pressed {
  /** The view's choices after the press. */
  ui: UiState
  effect?: Effect | undefined
}

/** What a press does to a screen. A notice lasts until the next press. */
export function pressed(press: string, shown: ViewModel): Pressed {
  const ui = { ...shown.ui, notice: '' }
  const model = { ...shown, ui }
  const { overlay } = ui
  if (overlay === 'none') return plainPress(press, model)
  if (press === 'ctrl+c') return { ui, effect: { kind: 'quit' } }
  if (overlay === 'log') return logPress(press, model)
  if (closes(press, model)) return { ui: toggleOverlay(ui, overlay) }
  if (overlay === 'frame') return framePress(press, model)
  return { ui, effect: overlay === 'faults' ? { kind: 'fault', letter: press } : undefined }
}

function plainPress(press: string, model: ViewModel): Pressed {
  const { ui, page, extraKeys } = model
  const action = actionOf(press, keyContext(model))
  if (action) return performed(action, model)
  if (page?.key === press) return { ui: toggleOverlay(ui, 'page') }
  if (isExtra(press, extraKeys)) return { ui, effect: { kind: 'extra', press } }
  if (LOG_MOVES.has(press)) return logPress(press, { ...model, ui: openLog(model) })
  if (press === 'escape' && ui.zoomed) return { ui: { ...ui, zoomed: false } }
  return { ui, effect: press === 'escape' ? { kind: 'leave' } : undefined }
}

/** The keys of the open log come first; those of the speaker and of the embedder work, too. */
function logPress(press: string, model: ViewModel): Pressed {
  const { ui, log, controls, extraKeys } = model
  const reading = readPress(ui.reading, press, { log, area: readingArea(model) })
  if (reading) return { ui: { ...ui, reading } }
  if (press === 'c' || press === 'C') return copyLines(press === 'c', model)
  if (press === 'return') return { ui: lookInto(model) }
  if (press === '?') return { ui: toggleOverlay(ui, 'log help') }
  if (press === 'escape' || press === 'q' || press === 'l') return { ui: leftLog(ui, press) }
  const action = actionOf(press, keyContext(model))
  if (action && controls) return { ui, effect: performed(action, model).effect }
  return { ui, effect: isExtra(press, extraKeys) ? { kind: 'extra', press } : undefined }
}

function framePress(press: string, model: ViewModel): Pressed {
  const { ui, log } = model
  if (press !== 'c') return { ui: bounded(moveFrame(ui, press, log), model) }
  const message = (ui.frame.packet ?? framedPackets(log).at(-1))?.note.message
  if (!message) return { ui }
  return { ui: { ...ui, notice: 'copied the frame' }, effect: { kind: 'copy', text: message.frame } }
}

/** Copies the marked line, or all lines that are read. */
function copyLines(isOne: boolean, { ui, log }: ViewModel): Pressed {
  const one = markedEntry(ui.reading, log)
  const all = isOne ? (one ? [one] : []) : entriesOf(log, ui.reading)
  const lines = newestThatFit(all.map(copyLine))
  const effect: Effect | undefined = lines.length > 0 ? { kind: 'copy', text: lines.join('\n') } : undefined
  return { ui: { ...ui, notice: copiedText(lines, all.length) }, effect }
}

function performed(action: Action, model: ViewModel): Pressed {
  const { ui } = model
  switch (action) {
    case 'help':
    case 'faults':
    case 'frame':
      return { ui: toggleOverlay(ui, action) }
    case 'log':
      return { ui: openLog(model) }
    case 'search':
      return logPress('/', { ...model, ui: openLog(model) })
    case 'invert':
      return { ui: { ...ui, inverted: !ui.inverted } }
    case 'zoom':
      return { ui: { ...ui, zoomed: !ui.zoomed } }
    case 'quit':
      return { ui, effect: { kind: 'quit' } }
    case 'dismiss':
    case 'network':
    case 'power':
    case 'reconnect':
    case 'quieter':
    case 'louder':
      return { ui, effect: { kind: 'control', action } }
  }
}

function openLog(model: ViewModel): UiState {
  const reading = openReading(model.ui.reading, { log: model.log, area: readingArea(model) })
  return { ...toggleOverlay(model.ui, 'log'), reading }
}

/** Esc undoes one thing at a time; `q` and `l` close the log at once. */
function leftLog(ui: UiState, press: string): UiState {
  const back = press === 'escape' ? stepBack(ui.reading) : undefined
  if (back) return { ...ui, reading: back }
  return { ...toggleOverlay(ui, 'log'), reading: closeReading(ui.reading) }
}

/** Opens the frame of the marked packet, or unfolds the marked telemetry. */
function lookInto({ ui, log }: ViewModel): UiState {
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

/** Esc, Enter, `q` and the key that opened it close an overlay, unless the overlay itself uses that key. */
function closes(press: string, { ui: { overlay }, page }: ViewModel): boolean {
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
