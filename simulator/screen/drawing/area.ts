/** A size in character cells. */
export interface Area {
  columns: number
  rows: number
}
