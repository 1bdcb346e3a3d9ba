import { useInput, useStdin, useWindowSize } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { Area } from '../../screen/drawing/area.ts'
import { pressNames } from '../../screen/keys/keys.ts'
import { useRefresh } from '../../screen/refresh.ts'
import type { Box } from '../box.ts'
import { pressBoxKey } from './keys.ts'
import { logLine } from './log-text.ts'
import type { Overlay } from './model.ts'
import { BoxView } from './view.tsx'

const KEPT_LINES = 500
/** A countdown skips no second, and the rings of the grille run. */
const REFRESH_MS = 250

export interface BoxAppProps {
  box: Box
  colour: boolean
  onQuit: () => void
  /** Leaves the box where it is one of several. */
  onEscape?: () => void
  /** The part of the terminal to fill; all of it by default. */
  size?: Area
}

/** Keeps the view up to date with the box, the clock, the terminal's size and the keys. */
export function BoxApp({ box, colour, onQuit, onEscape, size }: BoxAppProps) {
  const terminal = useWindowSize()
  const { columns, rows } = size ?? terminal
  const [overlay, setOverlay] = useState<Overlay>('none')
  // A second key may arrive before the next render.
  const open = useRef(overlay)
  const refresh = useRefresh(REFRESH_MS)
  const { isRawModeSupported } = useStdin()
  useInput(
    (input, key) => {
      for (const press of pressNames(input, key)) {
        if (press === 'escape' && open.current === 'none' && onEscape) return onEscape()
        const next = pressBoxKey(press, box, open.current)
        if (next === undefined) return onQuit()
        open.current = next
      }
      setOverlay(open.current)
      refresh()
    },
    { isActive: isRawModeSupported },
  )
  const log = useLog(box)
  return (
    <BoxView
      model={{ columns, rows, colour, firmware: box.firmware, snapshot: box.snapshot(), log, overlay }}
    />
  )
}

function useLog(box: Box): readonly string[] {
  const [log, setLog] = useState<readonly string[]>([])
  useEffect(
    () =>
      box.subscribe((item) => {
        const line = logLine(item)
        if (line !== undefined) setLog((lines) => [...lines, line].slice(-KEPT_LINES))
      }),
    [box],
  )
  return log
}
