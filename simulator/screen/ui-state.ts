import type { FeedItem } from '../speaker/feed.ts'
import { type FrameChoice, framedPackets } from './log/frames.ts'
import { FILTERS, type Filter } from './log/rows.ts'

/** What a person has chosen to see; the speaker knows nothing of it. */
export interface UiState {
  /** What lies over the log, or over everything where the log has no room for it. */
  overlay: 'none' | 'help' | 'faults' | 'frame' | 'page'
  filter: Filter
  /** The QR's light and dark exchanged. */
  inverted: boolean
  /** The QR alone. */
  zoomed: boolean
  frame: FrameChoice
}

export const FIRST_UI: UiState = {
  overlay: 'none',
  filter: 'all',
  inverted: false,
  zoomed: false,
  frame: { packet: undefined, scroll: 0 },
}

/** Opens an overlay, or closes it when it is the open one. */
export function toggleOverlay(ui: UiState, overlay: UiState['overlay']): UiState {
  const next = ui.overlay === overlay ? 'none' : overlay
  return { ...ui, overlay: next, frame: FIRST_UI.frame }
}

/** The next of what the log can show. */
export function nextFilter(ui: UiState): UiState {
  const next = FILTERS[(FILTERS.indexOf(ui.filter) + 1) % FILTERS.length] ?? 'all'
  return { ...ui, filter: next }
}

/** How many rows `page up` and `page down` scroll. */
const SCROLL_ROWS = 8

/** Moves through the packets (`up` is older) or within the frame; what can't be moved further stays. */
export function moveFrame(ui: UiState, press: string, log: readonly FeedItem[]): UiState {
  const { packet, scroll } = ui.frame
  switch (press) {
    case 'page down':
      return { ...ui, frame: { packet, scroll: scroll + SCROLL_ROWS } }
    case 'page up':
      return { ...ui, frame: { packet, scroll: Math.max(0, scroll - SCROLL_ROWS) } }
    case 'up':
    case 'down': {
      const packets = framedPackets(log)
      const last = packets.length - 1
      const index = packet ? packets.indexOf(packet) : last
      const next = Math.min(last, Math.max(0, index + (press === 'up' ? -1 : 1)))
      return { ...ui, frame: { packet: packets[next], scroll: 0 } }
    }
    default:
      return ui
  }
}
