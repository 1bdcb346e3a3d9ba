import { useInput, useStdin, useWindowSize } from 'ink'
import { useEffect, useReducer, useRef } from 'react'
import type { Clock } from '../../../platform/clock.ts'
import { createFrames, type DrawCost, type Frames, refreshAfterMs } from './frames.ts'
import { OpenedSpeaker } from './opened-speaker.tsx'
import type { Table } from './table.ts'
import { TableView } from './table-view.tsx'

export interface FleetAppProps {
  table: Table
  clock: Clock
  colour: boolean
  /** The value of TMUX, for the clipboard. */
  tmux: string | undefined
  cost: DrawCost
}

/**
 * Keeps the table up to date with the clock, the terminal's size and the keys. Speaker events do not redraw it: there
 * may be thousands a second.
 */
export function FleetApp({ table, clock, colour, tmux, cost }: FleetAppProps) {
  cost.begin()
  const size = useWindowSize()
  const frames = useFrames(clock, cost)
  const { isRawModeSupported } = useStdin()
  const { opened } = table
  const back = () => {
    table.back()
    frames.current?.request()
  }
  useInput(
    (input, key) => {
      // An opened speaker handles its own keys, even before it is drawn; only Ctrl+C ends the whole fleet
      // from there.
      const isInside = (opened ?? table.opened) !== undefined
      if (isInside && !(key.ctrl && input === 'c')) return
      table.press(input, key)
      frames.current?.request()
    },
    { isActive: isRawModeSupported },
  )
  if (opened) return <OpenedSpeaker speaker={opened} colour={colour} tmux={tmux} onBack={back} />
  return <TableView model={table.model(size, colour)} />
}

/** Draws four times a second, or less often when that costs much; and on request, at most ten times a second. */
function useFrames(clock: Clock, cost: DrawCost) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const frames = useRef<Frames>(undefined)
  useEffect(() => {
    const made = createFrames(clock, draw)
    frames.current = made
    let cancel = () => {}
    const refresh = () => {
      made.request()
      cancel = clock.wakeAt(clock.now() + refreshAfterMs(cost.lastMs), refresh)
    }
    refresh()
    return () => {
      cancel()
      made.stop()
    }
  }, [clock, cost])
  return frames
}
