import type { Display } from '../../speaker/device/display.ts'
import type { Area } from '../drawing/area.ts'
import type { DevicePlan, Layout, PanelPlan, QrPlan } from './plans.ts'

export interface LayoutInput extends Area {
  display: Display
  /** Modules along a side of the QR; undefined without a QR. */
  qrModules: number | undefined
  /** Show the QR alone. */
  zoomed: boolean
}

/** The smallest useful terminal. */
export const SMALLEST: Area = { columns: 40, rows: 16 }
/** With this many rows the log is always shown, except beside a QR to pay. */
export const ROWS_WITH_LOG = 19
/** From this width, the log stands beside the device. */
const SIDE_COLUMNS = 78

/** ISO 18004 requires four modules. Phones read two as well, which is used when four do not fit. */
const QUIET_ZONES = [4, 2] as const
const TIGHTEST = 2

const FOOTER_ROWS = 1
const HINT_ROWS = 1
const CAPTION_ROWS = 1
const BORDER: Area = { columns: 2, rows: 2 }
/** An empty column on either side within a border. */
const PADDING_COLUMNS = 2
/** The large digits of a code with title and countdown. */
const SCREEN_ROWS = 7
const PANEL_ROWS = { least: 3, usual: 4, grille: 7 } as const
/** Volume, counters and faults below the grille, and an empty row above them. */
const ROWS_BELOW_GRILLE = 3
/** The part of the device's height that the panel may take, and of its width that the grille may. */
const PANEL_SHARE = 0.45
const GRILLE_SHARE = 0.4

const DEVICE_ROWS = { least: 14, usual: 15, most: 24 } as const
/** Of a terminal of usual width; a wider one gives the device a little more than half. */
const DEVICE_COLUMNS_AT_MOST = 60
const WIDE_SHARE = 0.55
const LOG: Area = { columns: 34, rows: 3 }

/** Chooses the layout. A QR to pay may displace the log; the static QR of the idle screen may not. */
export function layoutOf(input: LayoutInput): Layout {
  const { columns, rows, qrModules, zoomed, display } = input
  const terminal = { columns, rows }
  if (qrModules === undefined) return usual(terminal, undefined)
  for (const arrange of zoomed ? [bare] : arrangements(display))
    for (const quiet of QUIET_ZONES)
      for (const bordered of [true, false]) {
        const layout = arrange(terminal, qrArea(qrModules + 2 * quiet), bordered)
        if (layout) return { ...layout, qr: { fits: true, quiet } }
      }
  const needs = needed(qrModules + 2 * TIGHTEST)
  const zoomHelps = needs.columns <= columns && needs.rows <= rows
  return usual(terminal, { fits: false, needs, zoomHelps })
}

/** A small device above `rowsBelow` other rows; undefined when its display would have no row. */
export function miniatureOf({ columns, rows }: Area, rowsBelow: number): DevicePlan | undefined {
  const area = { columns, rows: rows - rowsBelow }
  const panel = { form: 'lines', rows: PANEL_ROWS.usual } as const
  const screen = { columns: columns - chromeColumns(false), rows: area.rows - BORDER.rows - panel.rows }
  return screen.rows < 1 ? undefined : { area, screen, bordered: false, panel }
}

type Arranged = Omit<Layout, 'qr'>
type Arrange = (terminal: Area, screen: Area, bordered: boolean) => Arranged | undefined

function arrangements(display: Display): Arrange[] {
  return display.screen === 'qr' ? [side, stacked, alone, bareSide, bare] : [side, stacked]
}

/** The layout without a QR; fits the smallest terminal. */
function usual(terminal: Area, qr: QrPlan | undefined): Layout {
  const screen = { columns: 0, rows: SCREEN_ROWS }
  const arranged = side(terminal, screen, true) ?? stacked(terminal, screen, true) ?? deviceOnly(terminal)
  return { ...arranged, qr }
}

function side({ columns, rows }: Area, screen: Area, bordered: boolean): Arranged | undefined {
  if (columns < SIDE_COLUMNS) return undefined
  const wide = Math.max(sideColumns(columns), screen.columns + chromeColumns(bordered))
  const device = deviceOf({ columns: wide, rows: rows - FOOTER_ROWS }, screen, bordered)
  if (!device || columns - wide < LOG.columns) return undefined
  return { mode: 'side', device, log: { columns: columns - wide, rows: rows - FOOTER_ROWS }, foot: 'keys' }
}

/** A little more than half, so that the code's digits fit; the log gets the rest of a wide terminal. */
function sideColumns(columns: number): number {
  const usual = Math.min(DEVICE_COLUMNS_AT_MOST, Math.floor(columns / 2) + 3)
  return Math.max(usual, Math.min(columns - 2 * LOG.columns, Math.floor(columns * WIDE_SHARE)))
}

function stacked({ columns, rows }: Area, screen: Area, bordered: boolean): Arranged | undefined {
  const body = rows - FOOTER_ROWS
  const usualRows = Math.min(DEVICE_ROWS.most, Math.max(DEVICE_ROWS.usual, Math.floor(body * 0.6)))
  const deviceRows = Math.max(usualRows, screen.rows + chromeRows(bordered))
  if (deviceRows + LOG.rows > body) return undefined
  const device = deviceOf({ columns, rows: deviceRows }, screen, bordered)
  return device && { mode: 'stacked', device, log: { columns, rows: body - deviceRows }, foot: 'keys' }
}

function alone({ columns, rows }: Area, screen: Area, bordered: boolean): Arranged | undefined {
  const device = deviceOf({ columns, rows: rows - FOOTER_ROWS }, screen, bordered)
  return device && { mode: 'alone', device, log: undefined, foot: 'keys' }
}

/** The device alone, with a hint that a larger terminal shows more. */
function deviceOnly({ columns, rows }: Area): Arranged {
  const area = { columns, rows: Math.max(DEVICE_ROWS.least, rows - FOOTER_ROWS - HINT_ROWS) }
  return { mode: 'alone', device: compose(area, SCREEN_ROWS, true), log: undefined, foot: 'hint' }
}

/** The QR in the device's place, the log beside it. */
function bareSide({ columns, rows }: Area, screen: Area): Arranged | undefined {
  const body = rows - FOOTER_ROWS
  const wide = Math.max(sideColumns(columns), screen.columns + PADDING_COLUMNS)
  if (columns < SIDE_COLUMNS || columns - wide < LOG.columns || screen.rows > body) return undefined
  const log = { columns: columns - wide, rows: body }
  return { mode: 'bare', device: unframed({ columns: wide, rows: body }), log, foot: 'keys' }
}

/** The QR alone; takes the row of the keys when it fits no other way. */
function bare({ columns, rows }: Area, screen: Area): Arranged | undefined {
  if (screen.rows > rows || screen.columns > columns) return undefined
  const foot = screen.rows > rows - FOOTER_ROWS ? 'none' : 'keys'
  const area = { columns, rows: foot === 'none' ? rows : rows - FOOTER_ROWS }
  return { mode: 'bare', device: unframed(area), log: undefined, foot }
}

function unframed(area: Area): DevicePlan {
  return { area, screen: area, bordered: false, panel: { form: 'sound', rows: 1 } }
}

function deviceOf(area: Area, screen: Area, bordered: boolean): DevicePlan | undefined {
  if (screen.columns + chromeColumns(bordered) > area.columns) return undefined
  if (screen.rows + chromeRows(bordered) > area.rows) return undefined
  return compose(area, screen.rows, bordered)
}

/** Gives the panel the rows that the display leaves, and the display the rows that the panel can't use. */
function compose(area: Area, screenRows: number, bordered: boolean): DevicePlan {
  const inside = area.rows - BORDER.rows - (bordered ? BORDER.rows : 0)
  const panel = bordered
    ? panelOf(inside - screenRows, inside, area.columns)
    : ({ form: 'sound', rows: 1 } as const)
  const screen = { columns: area.columns - chromeColumns(bordered), rows: inside - panel.rows }
  return { area, screen, bordered, panel }
}

/** `rows`: those that the display leaves; `inside`: those of display and panel. */
function panelOf(rows: number, inside: number, columns: number): PanelPlan {
  if (rows >= PANEL_ROWS.grille) {
    const most = Math.max(PANEL_ROWS.grille, Math.floor(inside * PANEL_SHARE))
    const grilleRows = Math.min(
      Math.min(rows, most) - ROWS_BELOW_GRILLE,
      Math.floor((columns * GRILLE_SHARE) / 2),
    )
    return { form: 'grille', rows: grilleRows + ROWS_BELOW_GRILLE, grilleRows }
  }
  return { form: 'lines', rows: Math.max(PANEL_ROWS.least, Math.min(PANEL_ROWS.usual, rows)) }
}

function chromeColumns(bordered: boolean): number {
  return BORDER.columns + PADDING_COLUMNS + (bordered ? BORDER.columns : 0)
}

function chromeRows(bordered: boolean): number {
  return BORDER.rows + (bordered ? BORDER.rows + PANEL_ROWS.least : 1)
}

function qrArea(modules: number): Area {
  return { columns: modules, rows: Math.ceil(modules / 2) + CAPTION_ROWS }
}

/** The smallest terminal that shows the QR with its caption. */
function needed(modules: number): Area {
  const { columns, rows } = qrArea(modules)
  return { columns: Math.max(columns, SMALLEST.columns), rows: Math.max(rows, SMALLEST.rows) }
}
