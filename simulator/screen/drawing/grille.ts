/** The columns of a grille of so many rows: a hole takes two, without the space after the last one. */
export function grilleColumns(rows: number): number {
  return 2 * rows - 1
}

/** A grille at rest. */
export function stillGrille(rows: number, sign: string): string[] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: rows }, (_, column) => (ringOf(rows, row, column) === undefined ? ' ' : sign)).join(
      ' ',
    ),
  )
}

/** The ring of a hole, 0 in the middle; undefined outside the circle. */
export function ringOf(rows: number, row: number, column: number): number | undefined {
  const middle = (rows - 1) / 2
  const distance = Math.hypot(row - middle, column - middle)
  return distance > rows / 2 ? undefined : Math.floor(distance)
}
