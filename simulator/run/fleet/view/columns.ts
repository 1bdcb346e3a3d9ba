import { formatAmount } from '../../../../protocol/money/amount.ts'
import { isAudible, isLow } from '../../../screen/device/indicators.ts'
import type { Meaning } from '../../../screen/drawing/theme.ts'
import type { SpeakerSnapshot } from '../../../speaker/snapshot.ts'
import { LINK_STATES, type RosterRow } from '../model/roster.ts'
import { timeText } from '../report/text.ts'
import { LINK_LABELS } from './header/link-labels.ts'

/** A column of the table: its text and its sort value. */
export interface Column {
  id: ColumnId
  title: string
  /** Character cells. */
  width: number
  align: 'left' | 'right'
  text(row: RosterRow, read: ReadSnapshot): string
  /**
   * The colour of a cell: of its sign if it has one, or of the whole. Green: a payment is heard; magenta: look at it; red:
   * no line. The words carry the meaning alone.
   */
  meaning(row: RosterRow, read: ReadSnapshot): Meaning
  hasSign?: boolean
  /** The sort value, smallest first; texts sort as in Vietnamese. */
  value(row: RosterRow, read: ReadSnapshot): number | string
}

export const COLUMN_IDS = [
  ...(['serial', 'link', 'screen', 'amount', 'played', 'waiting', 'speech', 'connect'] as const),
  ...(['reconnects', 'missed', 'battery', 'signal', 'shop'] as const),
] as const

export type ColumnId = (typeof COLUMN_IDS)[number]

/** Reads the speaker itself: only for visible rows, and for a sort order that needs it. */
export type ReadSnapshot = () => SpeakerSnapshot

/** dBm; from here down a phone shows no bar. */
const WEAK_SIGNAL = -90

const SCREENS: Record<SpeakerSnapshot['display']['screen'], string> = {
  off: 'dark',
  code: 'code',
  payment: 'paid',
  paid: 'paid',
  qr: 'QR',
  missed: 'missed',
  idle: 'ready',
  locked: 'locked',
  unregistered: 'no shop',
  connecting: 'starting',
  no_network: 'no network',
}

/** Screens that promise a connection. */
const NEEDS_LINK = new Set<SpeakerSnapshot['display']['screen']>(['idle', 'unregistered'])

export const COLUMNS: Record<ColumnId, Column> = {
  serial: text('serial', 'serial', 13, ({ serial }) => serial),
  link: {
    ...text('link', 'link', 12, ({ link }) => `${LINK_LABELS[link].sign} ${LINK_LABELS[link].text}`),
    value: ({ link }) => LINK_STATES.indexOf(link),
    meaning: ({ link }) => LINK_LABELS[link].meaning,
    hasSign: true,
  },
  screen: {
    ...text('screen', 'screen', 10, (row, snapshot) => screenText(row, snapshot())),
    meaning: (_, read) => screenMeaning(read()),
  },
  amount: {
    ...number(
      'amount',
      'last amount',
      13,
      ({ lastAmount }) => Number(lastAmount) || undefined,
      (amount) => formatAmount(String(amount)),
    ),
    meaning: (_, read) => (screenMeaning(read()) === 'good' ? 'good' : 'plain'),
  },
  played: number('played', 'played', 6, ({ played }) => played || undefined),
  waiting: {
    ...number('waiting', 'queue', 5, (_, snapshot) => snapshot().waiting || undefined),
    meaning: (_, read) => (read().waiting > 0 ? 'notice' : 'plain'),
  },
  speech: number('speech', 'to speech', 9, ({ speechMs }) => speechMs, timeText),
  connect: number('connect', 'connect', 7, ({ connectMs }) => connectMs, timeText),
  reconnects: number('reconnects', 'again', 5, ({ reconnects }) => reconnects || undefined),
  missed: {
    ...number('missed', 'missed', 6, ({ missed }) => missed || undefined),
    meaning: ({ missed }) => (missed > 0 ? 'notice' : 'plain'),
  },
  battery: {
    ...number(
      'battery',
      'battery',
      7,
      (_, snapshot) => snapshot().battery,
      (percent) => `${percent}%`,
    ),
    meaning: (_, read) => (isLow(read()) ? 'notice' : 'plain'),
  },
  signal: {
    ...number(
      'signal',
      'signal',
      8,
      (_, snapshot) => snapshot().signal,
      (dBm) => `${dBm} dBm`,
    ),
    meaning: ({ link }, read) => (link === 'connected' && read().signal < WEAK_SIGNAL ? 'notice' : 'plain'),
  },
  // The last column: a name in wide characters would shift the columns after it.
  shop: text('shop', 'shop', 16, ({ shop }) => shop),
}

/** The columns by importance, for terminals without room for all. */
const IMPORTANCE: readonly ColumnId[] = [
  ...(['serial', 'link', 'amount', 'played', 'screen', 'missed', 'speech', 'shop'] as const),
  ...(['waiting', 'reconnects', 'connect', 'battery', 'signal'] as const),
]

/** The gap between columns: two cells, because titles have spaces. The width of the selection mark. */
export const GAP = 2
/** A longer name is cut. */
const MOST_SHOP_COLUMNS = 48
export const MARK = 2

/** The columns that fit, in the order of the table, always including the sorted one. */
export function columnsFor(columns: number, sort: ColumnId): Column[] {
  // The last column has no gap after it.
  let free = columns - MARK + GAP
  const shown = new Set<ColumnId>()
  const columnOf = (id: ColumnId) => (id === sort ? withRoomForSign(COLUMNS[id]) : COLUMNS[id])
  for (const id of [sort, ...IMPORTANCE]) {
    const needed = columnOf(id).width + GAP
    if (shown.has(id) || needed > free) continue
    shown.add(id)
    free -= needed
  }
  // The names of shops, which come last, have what is left.
  const unused = Math.min(free, MOST_SHOP_COLUMNS - COLUMNS.shop.width)
  return COLUMN_IDS.filter((id) => shown.has(id))
    .map(columnOf)
    .map((column) => (column.id === 'shop' ? { ...column, width: column.width + unused } : column))
}

/** Leaves a cell after the title for the arrow. */
function withRoomForSign(column: Column): Column {
  return { ...column, width: Math.max(column.width, column.title.length + 1) }
}

type Read<T> = (row: RosterRow, snapshot: ReadSnapshot) => T

function text(id: ColumnId, title: string, width: number, of: Read<string>): Column {
  return {
    ...{ id, title, width, align: 'left', meaning: () => 'plain', value: of },
    text: (row, snapshot) => of(row, snapshot) || '–',
  }
}

/** An unknown value sorts below every known one. */
function number(
  id: ColumnId,
  title: string,
  width: number,
  of: Read<number | undefined>,
  format: (value: number) => string = String,
): Column {
  return {
    ...{ id, title, width, align: 'right', meaning: () => 'plain' },
    text: (row, snapshot) => {
      const value = of(row, snapshot)
      return value === undefined ? '–' : format(value)
    },
    value: (row, snapshot) => of(row, snapshot) ?? Number.NEGATIVE_INFINITY,
  }
}

/** Money is green, what somebody must look at magenta. */
function screenMeaning(speaker: SpeakerSnapshot): Meaning {
  if (speaker.sounding) return 'good'
  switch (speaker.display.screen) {
    case 'idle':
      return isAudible(speaker) ? 'plain' : 'notice'
    case 'payment':
    case 'paid':
      return 'good'
    case 'missed':
    case 'locked':
      return 'notice'
    case 'no_network':
      return 'bad'
    default:
      return 'plain'
  }
}

/** A speaker that is not connected still shows the QR of its shop; it is not ready, and neither is one that nobody hears. */
function screenText({ link }: RosterRow, speaker: SpeakerSnapshot): string {
  const { display, sounding } = speaker
  if (sounding) return 'speaking'
  if (link !== 'connected' && NEEDS_LINK.has(display.screen)) return 'no link'
  return display.screen === 'idle' && !isAudible(speaker) ? 'no sound' : SCREENS[display.screen]
}
