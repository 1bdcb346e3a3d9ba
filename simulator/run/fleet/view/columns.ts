import { formatAmount } from '../../../screen/drawing/money.ts'
import type { SpeakerSnapshot } from '../../../speaker/snapshot.ts'
import { LINK_STATES, type LinkState, type RosterRow } from '../model/roster.ts'
import { timeText } from '../report/text.ts'

/** A column of the table: what it shows of a speaker, and what it is sorted by. */
export interface Column {
  id: ColumnId
  title: string
  /** Character cells. */
  width: number
  align: 'left' | 'right'
  text(row: RosterRow, read: ReadSnapshot): string
  /** Smallest first; a text is compared as its readers would. */
  value(row: RosterRow, read: ReadSnapshot): number | string
}

export const COLUMN_IDS = [
  ...(['serial', 'link', 'screen', 'amount', 'played', 'waiting', 'speech', 'connect'] as const),
  ...(['reconnects', 'missed', 'battery', 'signal', 'shop'] as const),
] as const

export type ColumnId = (typeof COLUMN_IDS)[number]

/** Asks the speaker itself. Only for rows that are seen, or when the table is sorted by what it alone knows. */
export type ReadSnapshot = () => SpeakerSnapshot

/** A sign and a word for each state, so that none is told by its colour alone. */
export const LINK_LABELS: Record<LinkState, { sign: string; text: string }> = {
  new: { sign: '·', text: 'not yet' },
  connecting: { sign: '○', text: 'connecting' },
  born: { sign: '○', text: 'no welcome' },
  connected: { sign: '●', text: 'connected' },
  offline: { sign: '✕', text: 'offline' },
  refused: { sign: '✕', text: 'refused' },
  off: { sign: '✕', text: 'no power' },
  broken: { sign: '✕', text: 'broken' },
}

const SCREENS: Record<SpeakerSnapshot['display']['screen'], string> = {
  off: 'dark',
  code: 'code',
  paid: 'paid',
  qr: 'QR',
  missed: 'missed',
  idle: 'ready',
  unregistered: 'no shop',
  connecting: 'starting',
  no_network: 'no network',
}

export const COLUMNS: Record<ColumnId, Column> = {
  serial: text('serial', 'serial', 13, ({ serial }) => serial),
  link: {
    ...text('link', 'link', 12, ({ link }) => `${LINK_LABELS[link].sign} ${LINK_LABELS[link].text}`),
    value: ({ link }) => LINK_STATES.indexOf(link),
  },
  screen: text('screen', 'screen', 10, (_, snapshot) => screenText(snapshot())),
  amount: number(
    'amount',
    'last amount',
    13,
    ({ lastAmount }) => Number(lastAmount) || undefined,
    (amount) => formatAmount(String(amount)),
  ),
  played: number('played', 'played', 6, ({ played }) => played || undefined),
  waiting: number('waiting', 'queue', 5, (_, snapshot) => snapshot().waiting || undefined),
  speech: number('speech', 'to speech', 9, ({ speechMs }) => speechMs, timeText),
  connect: number('connect', 'connect', 7, ({ connectMs }) => connectMs, timeText),
  reconnects: number('reconnects', 'again', 5, ({ reconnects }) => reconnects || undefined),
  missed: number('missed', 'missed', 6, ({ missed }) => missed || undefined),
  battery: number(
    'battery',
    'battery',
    7,
    (_, snapshot) => snapshot().battery,
    (percent) => `${percent}%`,
  ),
  signal: number(
    'signal',
    'signal',
    7,
    (_, snapshot) => snapshot().signal,
    (dBm) => `${dBm} dBm`,
  ),
  // The last column: a name in wide characters would shift the columns after it.
  shop: text('shop', 'shop', 16, ({ shop }) => shop),
}

/** When there is no room for all: the first are shown first, each at its place in the table. */
const IMPORTANCE: readonly ColumnId[] = [
  ...(['serial', 'link', 'amount', 'played', 'screen', 'speech', 'shop'] as const),
  ...(['waiting', 'reconnects', 'connect', 'missed', 'battery', 'signal'] as const),
]

/** Between two columns, and for the mark of the selected row. */
export const GAP = 1
export const MARK = 2

/** The columns that fit, in the order of the table; the one that it is sorted by is always among them. */
export function columnsFor(columns: number, sort: ColumnId): Column[] {
  let free = columns - MARK
  const shown = new Set<ColumnId>()
  const columnOf = (id: ColumnId) => (id === sort ? withRoomForSign(COLUMNS[id]) : COLUMNS[id])
  for (const id of [sort, ...IMPORTANCE]) {
    const needed = columnOf(id).width + GAP
    if (shown.has(id) || needed > free) continue
    shown.add(id)
    free -= needed
  }
  return COLUMN_IDS.filter((id) => shown.has(id)).map(columnOf)
}

/** The sign of the order has a cell after the title, whole as it is. */
function withRoomForSign(column: Column): Column {
  return { ...column, width: Math.max(column.width, column.title.length + 1) }
}

type Read<T> = (row: RosterRow, snapshot: ReadSnapshot) => T

function text(id: ColumnId, title: string, width: number, of: Read<string>): Column {
  return { id, title, width, align: 'left', text: (row, snapshot) => of(row, snapshot) || '–', value: of }
}

/** A value that is not known sorts below every known one. */
function number(
  id: ColumnId,
  title: string,
  width: number,
  of: Read<number | undefined>,
  format: (value: number) => string = String,
): Column {
  return {
    ...{ id, title, width, align: 'right' },
    text: (row, snapshot) => {
      const value = of(row, snapshot)
      return value === undefined ? '–' : format(value)
    },
    value: (row, snapshot) => of(row, snapshot) ?? Number.NEGATIVE_INFINITY,
  }
}

function screenText({ display, sounding }: SpeakerSnapshot): string {
  return sounding ? 'speaking' : SCREENS[display.screen]
}
