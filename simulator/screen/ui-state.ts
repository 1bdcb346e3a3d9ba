import type { FeedItem } from '../speaker/feed.ts'
import { type FrameChoice, framedPackets } from './log/frames.ts'
import { FILTERS, type Filter } from './log/rows.ts'

/** The choices of the view; the speaker does not know them. */
export interface UiState {
  /** The open overlay. */
  overlay: 'none' | 'help' | 'faults' | 'frame' | 'page'
  filter: Filter
  /** Exchange light and dark in the QR. */
  inverted: boolean
  /** Show the QR alone. */
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

/** Opens an overlay, or closes it when it is open. */
export function toggleOverlay(ui: UiState, overlay: UiState['overlay']): UiState {
  const next = ui.overlay === overlay ? 'none' : overlay
  return { ...ui, overlay: next, frame: FIRST_UI.frame }
}

/** Selects the next filter of the log. */
export function nextFilter(ui: UiState): UiState {
  const next = FILTERS[(FILTERS.indexOf(ui.filter) + 1) % FILTERS.length] ?? 'all'
  return { ...ui, filter: next }
}

/** How many rows `page up` and `page down` scroll. */
const SCROLL_ROWS = 8

/** Moves through the packets (`up` is older) or scrolls the frame; stops at either end. */
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
