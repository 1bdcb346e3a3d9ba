import type { Area } from '../drawing/area.ts'
import { Lines } from '../drawing/lines.tsx'

/** A display with a loose ribbon cable: stripes without meaning, the same on each render. */
export function BrokenDisplay({ room }: { room: Area }) {
  const rows = Array.from({ length: room.rows }, (_, row) =>
    Array.from({ length: room.columns }, (_, column) => stripe(row, column)).join(''),
  )
  return <Lines rows={rows} dim />
}

const STRIPES = ['░', ' ', '▒', ' ', '░', '░', ' ']

function stripe(row: number, column: number): string {
  const torn = (row * 7 + Math.floor(row / 3) * 5) % 11
  return STRIPES[Math.floor((column + torn) / 3) % STRIPES.length] ?? ' '
}
