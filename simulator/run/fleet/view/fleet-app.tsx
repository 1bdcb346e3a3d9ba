import { useInput, useStdin, useWindowSize } from 'ink'
import { useEffect, useReducer, useRef } from 'react'
import type { Clock } from '../../../platform/clock.ts'
import { createFrames, type Frames } from './frames.ts'
import { OpenedSpeaker } from './opened-speaker.tsx'
import type { Table } from './table.ts'
import { TableView } from './table-view.tsx'

/** How often the figures are drawn anew when nobody presses a key. */
const REFRESH_MS = 250

export interface FleetAppProps {
  table: Table
  clock: Clock
  colour: boolean
}

/**
 * The table kept up to date: with the clock, the terminal's size, and the keys. The events of the speakers draw
 * nothing: there may be thousands a second.
 */
export function FleetApp({ table, clock, colour }: FleetAppProps) {
  const size = useWindowSize()
  const frames = useFrames(clock)
  const { isRawModeSupported } = useStdin()
  const { opened } = table
  const back = () => {
    table.back()
    frames.current?.request()
  }
  useInput(
    (input, key) => {
      // A speaker that is opened, drawn yet or not, has its own keys; only Ctrl+C ends the whole fleet from there.
      const isInside = (opened ?? table.opened) !== undefined
      if (isInside && !(key.ctrl && input === 'c')) return
      table.press(input, key)
      frames.current?.request()
    },
    { isActive: isRawModeSupported },
  )
  if (opened) return <OpenedSpeaker speaker={opened} colour={colour} onBack={back} />
  return <TableView model={table.model(size, colour)} />
}

/** Draws four times a second, and when it is asked to; never more than ten times. */
function useFrames(clock: Clock) {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const frames = useRef<Frames>(undefined)
  useEffect(() => {
    const made = createFrames(clock, draw)
    frames.current = made
    let cancel = () => {}
    const refresh = () => {
      made.request()
      cancel = clock.wakeAt(clock.now() + REFRESH_MS, refresh)
    }
    refresh()
    return () => {
      cancel()
      made.stop()
    }
  }, [clock])
  return frames
}
