import { formatAmount } from '../../../screen/drawing/money.ts'
import type { SpeakerSnapshot } from '../../../speaker/snapshot.ts'
import type { LinkState, RosterRow } from '../model/roster.ts'
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

/** In the order in which a person debugs: what needs a read first. */
const LINK_ORDER: Record<LinkState, number> = {
  ...{ broken: 0, refused: 1, off: 2, offline: 3, connecting: 4, born: 5, new: 6, connected: 7 },
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

const dash = (text: string) => (text === '' ? '–' : text)

export const COLUMNS: Record<ColumnId, Column> = {
  serial: left(
    'serial',
    'serial',
    13,
    ({ serial }) => serial,
    ({ serial }) => serial,
  ),
  link: left(
    'link',
    'link',
    12,
    ({ link }) => `${LINK_LABELS[link].sign} ${LINK_LABELS[link].text}`,
    ({ link }) => LINK_ORDER[link],
  ),
  screen: left(
    'screen',
    'screen',
    10,
    (_, read) => screenText(read()),
    (_, read) => screenText(read()),
  ),
  amount: right(
    'amount',
    'last amount',
    13,
    ({ lastAmount }) => (lastAmount === '' ? '–' : formatAmount(lastAmount)),
    ({ lastAmount }) => Number(lastAmount),
  ),
  played: count('played', 'played', 6, ({ played }) => played),
  waiting: count('waiting', 'queue', 5, (_, read) => queueOf(read())),
  speech: duration('speech', 'to speech', 9, ({ speechMs }) => speechMs),
  connect: duration('connect', 'connect', 7, ({ connectMs }) => connectMs),
  reconnects: count('reconnects', 'again', 5, ({ reconnects }) => reconnects),
  missed: count('missed', 'missed', 6, ({ missed }) => missed),
  battery: right(
    'battery',
    'battery',
    7,
    (_, read) => `${read().battery}%`,
    (_, read) => read().battery,
  ),
  signal: right(
    'signal',
    'signal',
    7,
    (_, read) => `${read().signal} dBm`,
    (_, read) => read().signal,
  ),
  // Last, because a name in wide characters would push what follows it out of its column.
  shop: left(
    'shop',
    'shop',
    16,
    ({ shop }) => dash(shop),
    ({ shop }) => shop,
  ),
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

type Read<T> = (row: RosterRow, read: ReadSnapshot) => T

function left(
  id: ColumnId,
  title: string,
  width: number,
  text: Read<string>,
  value: Read<number | string>,
): Column {
  return { id, title, width, align: 'left', text, value }
}

function right(
  id: ColumnId,
  title: string,
  width: number,
  text: Read<string>,
  value: Read<number | string>,
): Column {
  return { id, title, width, align: 'right', text, value }
}

function screenText({ display, sounding }: SpeakerSnapshot): string {
  return sounding ? 'speaking' : SCREENS[display.screen]
}

function queueOf({ waiting }: SpeakerSnapshot): number {
  return waiting
}

function count(id: ColumnId, title: string, width: number, of: Read<number>): Column {
  const text: Read<string> = (row, read) => dash(String(of(row, read) || ''))
  return right(id, title, width, text, of)
}

/** Milliseconds; what is not known yet comes first. */
function duration(id: ColumnId, title: string, width: number, of: Read<number | undefined>): Column {
  const text: Read<string> = (row, read) => {
    const ms = of(row, read)
    return dash(ms === undefined ? '' : timeText(ms))
  }
  return right(id, title, width, text, (row, read) => of(row, read) ?? -1)
}
