import type { FeedItem } from '../speaker/feed.ts'
import { type FrameChoice, framedPackets, type PacketItem } from './log/frames.ts'
import { FIRST_READING, type LogReading } from './log/reading.ts'

/** What is open over the device or the log. */
export type Overlay = 'none' | 'help' | 'faults' | 'frame' | 'page' | 'log' | 'log help'

/** The choices of the view; the speaker does not know them. */
export interface UiState {
  /** The open overlay. */
  overlay: Overlay
  /** The log was open before this overlay: closing it opens the log again. */
  overLog: boolean
  reading: LogReading
  /** What a key has done, in a few words, until the next key; empty: nothing to say. */
  notice: string
  /** Exchange light and dark in the QR. */
  inverted: boolean
  /** Show the QR alone. */
  zoomed: boolean
  frame: FrameChoice
}

export const FIRST_UI: UiState = {
  overlay: 'none',
  overLog: false,
  reading: FIRST_READING,
  notice: '',
  inverted: false,
  zoomed: false,
  frame: { packet: undefined, scroll: 0 },
}

/** Opens an overlay, or closes it when it is open. */
export function toggleOverlay(ui: UiState, overlay: Overlay): UiState {
  if (ui.overlay === overlay)
    return { ...ui, overlay: ui.overLog ? 'log' : 'none', overLog: false, frame: FIRST_UI.frame }
  return { ...ui, overlay, overLog: ui.overlay === 'log', frame: FIRST_UI.frame }
}

/** Opens the frame of a packet. */
export function openFrame(ui: UiState, packet: PacketItem): UiState {
  return { ...toggleOverlay(ui, 'frame'), frame: { packet, scroll: 0 } }
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
