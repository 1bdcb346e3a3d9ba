import type { Display } from '../device/display.ts'

/** Where things stand, in character cells. */
export interface Layout {
  /**
   * `side`: panel and log beside each other. `stacked`: the log below. `alone`: no room for a log.
   * `bare`: only the QR and its caption, for terminals where a QR just fits.
   */
  mode: 'side' | 'stacked' | 'alone' | 'bare'
  panel: Area
  log: Area | undefined
  qr: QrPlan | undefined
}

export interface Area {
  columns: number
  rows: number
}

/** Whether a QR can be drawn, and with how wide a quiet zone; otherwise the terminal that it takes. */
export type QrPlan = { fits: true; quiet: number } | { fits: false; needs: Area }

export interface LayoutInput extends Area {
  display: Display
  /** Modules along the side of the QR on the screen; undefined without one. */
  qrModules: number | undefined
  /** The help is open: it needs the log's place. */
  help: boolean
}

/** Smaller than this, nothing useful can be shown. */
export const SMALLEST: Area = { columns: 40, rows: 16 }

/** ISO 18004 asks for four modules; phones still read it with two, where that lets it fit at all. */
const QUIET_ZONES = [4, 2] as const
const TIGHTEST = 2

const FOOTER_ROWS = 1
const CAPTION_ROWS = 1
/** Border, title, the sentence, and the volume. */
const PANEL_CHROME: Area = { columns: 4, rows: 5 }
const PANEL_ROWS = 13
const PANEL_COLUMNS = 60
const SIDE_COLUMNS = 100
const LOG: Area = { columns: 40, rows: 5 }

/** Chooses the layout: the log gives way to a QR that someone waits to scan, but not to the idle screen's. */
export function layoutOf(input: LayoutInput): Layout {
  const { qrModules } = input
  if (qrModules === undefined) return { ...usual(input), qr: undefined }
  for (const arrange of arrangements(input))
    for (const quiet of QUIET_ZONES) {
      const layout = arrange(input, qrArea(qrModules + 2 * quiet))
      if (layout) return { ...layout, qr: { fits: true, quiet } }
    }
  return { ...usual(input), qr: { fits: false, needs: needed(input.display, qrModules + 2 * TIGHTEST) } }
}

type Arranged = Omit<Layout, 'qr'>
type Arrange = (terminal: Area, content: Area) => Arranged | undefined

function arrangements({ display, help }: LayoutInput): Arrange[] {
  return display.screen === 'qr' && !help ? [side, stacked, alone, bare] : [side, stacked]
}

function usual({ columns, rows }: LayoutInput): Arranged {
  const room = { columns: 0, rows: 0 }
  return side({ columns, rows }, room) ?? stackedTo(columns, rows - FOOTER_ROWS, PANEL_ROWS)
}

function side({ columns, rows }: Area, content: Area): Arranged | undefined {
  if (columns < SIDE_COLUMNS) return undefined
  const body = rows - FOOTER_ROWS
  const panelColumns = Math.max(PANEL_COLUMNS, content.columns + PANEL_CHROME.columns)
  const logColumns = columns - panelColumns
  if (logColumns < LOG.columns || content.rows + PANEL_CHROME.rows > body) return undefined
  return {
    mode: 'side',
    panel: { columns: panelColumns, rows: body },
    log: { columns: logColumns, rows: body },
  }
}

function stacked({ columns, rows }: Area, content: Area): Arranged | undefined {
  const body = rows - FOOTER_ROWS
  const panelRows = Math.max(PANEL_ROWS, content.rows + PANEL_CHROME.rows)
  if (panelRows + LOG.rows > body || content.columns + PANEL_CHROME.columns > columns) return undefined
  return stackedTo(columns, body, panelRows)
}

function stackedTo(columns: number, body: number, panelRows: number): Arranged {
  const logRows = body - panelRows
  if (logRows < 2) return { mode: 'alone', panel: { columns, rows: body }, log: undefined }
  return { mode: 'stacked', panel: { columns, rows: panelRows }, log: { columns, rows: logRows } }
}

function alone({ columns, rows }: Area, content: Area): Arranged | undefined {
  const body = rows - FOOTER_ROWS
  if (content.rows + PANEL_CHROME.rows > body || content.columns + PANEL_CHROME.columns > columns)
    return undefined
  return { mode: 'alone', panel: { columns, rows: body }, log: undefined }
}

function bare({ columns, rows }: Area, content: Area): Arranged | undefined {
  const body = rows - FOOTER_ROWS
  if (content.rows > body || content.columns > columns) return undefined
  return { mode: 'bare', panel: { columns, rows: body }, log: undefined }
}

function qrArea(modules: number): Area {
  return { columns: modules, rows: Math.ceil(modules / 2) + CAPTION_ROWS }
}

/** The smallest terminal that shows the QR: bare for one to pay, beside the log for the shop's own. */
function needed(display: Display, modules: number): Area {
  const { columns, rows } = qrArea(modules)
  if (display.screen === 'qr')
    return { columns: Math.max(columns, SMALLEST.columns), rows: rows + FOOTER_ROWS }
  return {
    columns: Math.max(SIDE_COLUMNS, columns + PANEL_CHROME.columns + LOG.columns),
    rows: rows + PANEL_CHROME.rows + FOOTER_ROWS,
  }
}
