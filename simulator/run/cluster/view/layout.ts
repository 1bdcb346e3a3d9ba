import { type DigitSize, drawDigits } from '../../../screen/drawing/digits.ts'
import { cellsOf } from '../../../screen/drawing/text.ts'
import type { Figures } from '../model/accounts.ts'
import { CLUSTER_KEYS } from './keys.ts'
import type { ClusterModel } from './model.ts'

/** One figure of the ledger in large digits. */
export interface BigFigure {
  name: keyof Figures
  label: string
  digits: readonly string[]
  columns: number
}

/** The places of everything on the screen, in character cells. */
export interface ClusterLayout {
  ledger: { figures: readonly BigFigure[]; gap: number; rows: number }
  /** Figures without large digits, as text. */
  restOfLedger: string
  /** Rows inside the panels of the hubs; 0: one line of text for each hub. */
  panelRows: number
  map: { perRow: number; rows: number; spread: 1 | 2 }
  logRows: number
  footer: readonly string[]
}

const LABELS: Record<keyof Figures, string> = {
  paid: 'paid',
  heard: 'heard',
  missed: 'missed',
  underWay: 'under way',
  lost: 'lost',
  doubled: 'doubled',
  unanswered: 'unanswered',
}
const ALL: readonly (keyof Figures)[] = ['paid', 'heard', 'missed', 'underWay', 'lost', 'doubled']
/** As text, where the end of a line may be cut off. */
const BY_WEIGHT: readonly (keyof Figures)[] = ['lost', 'doubled', 'paid', 'heard', 'missed', 'underWay']
/** What is shown large when there is no room for all. */
const CHOICES: readonly (readonly (keyof Figures)[])[] = [ALL, ['paid', 'heard', 'lost', 'doubled'], []]
const SIZES: readonly { size: DigitSize; leastRows: number }[] = [
  { size: 'large', leastRows: 34 },
  { size: 'medium', leastRows: 28 },
  { size: 'small', leastRows: 16 },
]
const GAPS = [6, 4, 3, 2, 1]
/** The sign before "lost" and "doubled". */
const SIGN_COLUMNS = 2

/** A panel needs this width for "7.2 callbacks/s" in its frame. */
const LEAST_PANEL_COLUMNS = 20
const FRAME_ROWS = 2
/** The title, the line of the balancer and the database, the line above the map. */
const LINES = 3
const LEAST_LOG_ROWS = 2
/** The map is spread only where the log keeps so many more rows. */
const LOG_ROWS_BESIDE_SPREAD = 6

export function layoutOf(model: ClusterModel): ClusterLayout {
  const { columns, rows, figures, hubs, speakers } = model
  const ledger = ledgerOf(figures, columns, rows)
  const footer = flow(
    CLUSTER_KEYS.map(({ key, label }) => `${key} ${label}`),
    columns,
  )
  const shownLarge = new Set(ledger.figures.map(({ name }) => name))
  const rest = [...BY_WEIGHT, ...(figures.unanswered > 0 ? (['unanswered'] as const) : [])]
    .filter((name) => !shownLarge.has(name))
    .map((name) => `${figures[name]} ${LABELS[name]}`)
  const restRows = rest.length > 0 ? 1 : 0
  const free = rows - LINES - ledger.rows - restRows - footer.length
  const hasPanels = columns >= LEAST_PANEL_COLUMNS * hubs.length && free >= 9
  const panelRows = hasPanels ? (free >= 18 ? 3 : 2) : 0
  const hubRows = hasPanels ? panelRows + FRAME_ROWS : hubs.length
  const map = mapOf(speakers.length, columns, free - hubRows - LEAST_LOG_ROWS)
  return {
    ...{ ledger, restOfLedger: rest.join(' · '), panelRows, map, footer },
    logRows: Math.max(0, free - hubRows - map.rows),
  }
}

/** The largest digits that fit, with the widest gap that fits. */
function ledgerOf(figures: Figures, columns: number, rows: number): ClusterLayout['ledger'] {
  for (const names of CHOICES)
    for (const { size } of SIZES.filter(({ leastRows }) => rows >= leastRows)) {
      const drawn = names.map((name) => bigFigure(name, figures[name], size))
      const width = drawn.reduce((sum, one) => sum + one.columns, 0)
      const gap = GAPS.find((one) => width + one * (drawn.length - 1) <= columns)
      if (gap !== undefined && drawn.length > 0)
        return { figures: drawn, gap, rows: 1 + (drawn[0]?.digits.length ?? 0) }
    }
  return { figures: [], gap: 0, rows: 0 }
}

function bigFigure(name: keyof Figures, value: number, size: DigitSize): BigFigure {
  const digits = drawDigits(String(value), size)
  const label = LABELS[name]
  const sign = name === 'lost' || name === 'doubled' ? SIGN_COLUMNS : 0
  return { name, label, digits, columns: Math.max(label.length + sign, digits[0]?.length ?? 0) }
}

/** A dot for each speaker, spread when there is room. Dots without room are not drawn. */
function mapOf(speakers: number, columns: number, rows: number): ClusterLayout['map'] {
  const rowsOf = (spread: 1 | 2) => Math.ceil(speakers / Math.max(1, Math.floor(columns / spread)))
  const spread = rowsOf(2) + LOG_ROWS_BESIDE_SPREAD <= rows ? 2 : 1
  const perRow = Math.max(1, Math.floor(columns / spread))
  return { perRow, rows: Math.max(0, Math.min(rows, rowsOf(spread))), spread }
}

/** Texts beside each other, as many in a row as fit; a longer text is cut by the screen. */
export function flow(texts: readonly string[], columns: number): string[] {
  const rows: string[] = []
  for (const text of texts) {
    const longer = `${rows.at(-1)}  ${text}`
    if (rows.length > 0 && cellsOf(longer) <= columns) rows[rows.length - 1] = longer
    else rows.push(text)
  }
  return rows
}
