import type { Speaker } from '../../../speaker/speaker.ts'
import { problemOf, type RosterRow } from '../model/roster.ts'
import type { Summary } from '../report/lines.ts'
import { type Column, columnsFor, GAP, MARK } from './columns.ts'
import { type HeaderLine, headerLines } from './header-lines.ts'
import { positionOf, type TableState, topOf } from './state.ts'

/** Everything that the table's view draws, as plain data that tests can build. */
export interface TableModel {
  columns: number
  rows: number
  colour: boolean
  header: readonly HeaderLine[]
  /** The titles of the columns; the sorted one has an arrow. */
  titles: string
  lines: readonly TableLine[]
  /** The visible part of the table, its size and its filters. */
  status: string
  state: Pick<TableState, 'help' | 'typing' | 'filter'>
}

export interface TableLine {
  index: number
  text: string
  selected: boolean
  hasProblem: boolean
}

export interface TableInput {
  columns: number
  rows: number
  colour: boolean
  summary: Summary
  /** Seconds until the last speaker starts to connect. */
  startsWithinS: number
  /** Sentences (before the first one, connects) in each of the last seconds, oldest first. */
  perSecond: readonly number[]
  roster: readonly RosterRow[]
  speakers: readonly Pick<Speaker, 'snapshot'>[]
  order: readonly number[]
  state: TableState
}

/** Smaller than this, nothing useful can be shown. */
export const SMALLEST = { columns: 40, rows: 12 }

/** Titles, status and footer. */
const CHROME_ROWS = 3

/** Rows of speakers that fit below a header. */
export function tableRows(rows: number, header: number): number {
  return Math.max(1, rows - header - CHROME_ROWS)
}

/** Builds the model; reads only the speakers of visible rows. */
export function tableModel(input: TableInput): TableModel {
  const { columns, rows, colour, order, state, roster, speakers } = input
  const header = headerLines(input)
  const place = { order, rows: tableRows(rows, header.length) }
  const top = topOf(state, place)
  const marked = order[positionOf(state, place)]
  const shown = columnsFor(columns, state.sort)
  const lines = order.slice(top, top + place.rows).flatMap((index) => {
    const [row, speaker] = [roster[index], speakers[index]]
    if (!row || !speaker) return []
    const selected = index === marked
    const text = lineText(shown, row, speaker, selected)
    return [{ index, text, selected, hasProblem: problemOf(row) !== undefined }]
  })
  const { help, typing, filter } = state
  const status = statusText(input, top, lines.length)
  const titles = titlesText(shown, state)
  return { columns, rows, colour, header, titles, lines, status, state: { help, typing, filter } }
}

function lineText(
  columns: readonly Column[],
  row: RosterRow,
  speaker: Pick<Speaker, 'snapshot'>,
  selected: boolean,
): string {
  let snapshot: ReturnType<typeof speaker.snapshot> | undefined
  const read = () => {
    snapshot ??= speaker.snapshot()
    return snapshot
  }
  const cells = columns.map((column) => cell(column.text(row, read), column))
  return (selected ? '›' : '').padEnd(MARK) + cells.join(' '.repeat(GAP))
}

function titlesText(columns: readonly Column[], { sort, reversed }: TableState): string {
  const cells = columns.map((column) => {
    if (column.id !== sort) return cell(column.title, column)
    return cell(column.title + (reversed ? '▼' : '▲'), column)
  })
  return ' '.repeat(MARK) + cells.join(' '.repeat(GAP))
}

function cell(text: string, { width, align }: Column): string {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text
  return align === 'right' ? cut.padStart(width) : cut.padEnd(width)
}

function statusText({ order, roster, state }: TableInput, top: number, seen: number): string {
  const { filter, problemsOnly } = state
  const part = order.length === 0 ? 'none' : `${top + 1}–${top + seen} of ${order.length}`
  return [
    order.length === roster.length ? part : `${part} (${roster.length} in all)`,
    ...(problemsOnly ? ['only problems'] : []),
    ...(filter === '' ? [] : [`with “${filter}”`]),
  ].join(' · ')
}
