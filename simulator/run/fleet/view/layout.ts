import type { PaySummary } from '../report/lines.ts'
import { type BigFigure, bigFigures, ledgerColumns, ledgerRows } from './header/ledger.tsx'
import { type MapPlan, planMap } from './map/cells.ts'
import type { TableState } from './state.ts'

/** The places of everything on the fleet's screen, in character cells. */
export interface FleetLayout {
  banner: 0 | 1
  ledger: readonly BigFigure[]
  /** The lines of figures beside the ledger. */
  figures: { columns: number; rows: number }
  map: MapPlan | undefined
  /** Rows of speakers below the titles; 0: no table. */
  tableRows: number
}

/** The line of totals, the status, the keys. */
const CHROME_ROWS = 3
/** The line above the map, and the titles of the table. */
const CAPTION_ROWS = 1
const TITLE_ROWS = 1
const LEAST_TABLE_ROWS = 3
/** Lines of figures with and without payments. */
const PAY_LINES = 10
const OTHER_LINES = 4
/** The part of the free rows that the map may take beside the table. */
const MAP_SHARE = 0.45

export function layoutOf(input: {
  columns: number
  rows: number
  speakers: number
  hasBanner: boolean
  pay: PaySummary | undefined
  view: TableState['view']
}): FleetLayout {
  const { columns, rows, speakers, pay, view } = input
  const banner = input.hasBanner ? 1 : 0
  const ledger = pay ? bigFigures(pay, rows) : []
  const figures = {
    columns: Math.max(0, columns - ledgerColumns(ledger)),
    rows: Math.max(ledgerRows(ledger), Math.min(figureRows(rows), pay ? PAY_LINES : OTHER_LINES)),
  }
  const free = rows - CHROME_ROWS - banner - figures.rows
  const mapRows = view === 'map' ? free : view === 'table' ? 0 : Math.floor(free * MAP_SHARE)
  const map = planMap(speakers, { columns, rows: mapRows - CAPTION_ROWS })
  const left = free - (map ? map.rows + CAPTION_ROWS : 0) - TITLE_ROWS
  const tableRows = view === 'map' ? 0 : Math.max(1, left)
  const isTight = view === 'both' && tableRows < LEAST_TABLE_ROWS
  return {
    ...{ banner, ledger, figures },
    map: isTight ? undefined : map,
    tableRows: isTight ? Math.max(1, free - TITLE_ROWS) : tableRows,
  }
}

/** The lines of figures that a terminal has room for. */
function figureRows(rows: number): number {
  if (rows < 18) return 2
  if (rows < 24) return 4
  if (rows < 34) return 5
  return rows < 40 ? 8 : 10
}
