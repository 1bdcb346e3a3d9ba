import type { Meaning } from '../../../screen/drawing/theme.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import type { RosterRow } from '../model/roster.ts'
import type { Summary } from '../report/lines.ts'
import { type Column, columnsFor, GAP, MARK } from './columns.ts'
import { bannerText } from './header/banner.ts'
import { type HeaderInput, type HeaderLine, headerLines, totalsText } from './header/header-lines.ts'
import { type FleetLayout, layoutOf } from './layout.ts'
import { captionOf, drawMap, type MapSource, type Run } from './map/cells.ts'
import { positionOf, type TableState, topOf } from './state.ts'

/** Everything that the table's view draws, as plain data that tests can build. */
export interface TableModel {
  columns: number
  rows: number
  colour: boolean
  layout: FleetLayout
  /** What is said while the hub is away. */
  banner: string | undefined
  totals: string
  figures: readonly HeaderLine[]
  map: { caption: string; rows: readonly Run[][] } | undefined
  /** The titles of the columns; the sorted one has an arrow. A part without a title is the space between two. */
  titles: readonly { text: string; isTitle: boolean }[]
  lines: readonly TableLine[]
  /** The visible part of the table, its size and its filters. */
  status: string
  state: Pick<TableState, 'help' | 'typing' | 'filter'>
}

export interface TableLine {
  index: number
  parts: readonly { text: string; meaning: Meaning }[]
  selected: boolean
}

export interface TableInput extends Omit<HeaderInput, 'columns'> {
  columns: number
  rows: number
  colour: boolean
  summary: Summary
  map: MapSource
  /** Rises with time: speaking speakers change with it. */
  beat: number
  roster: readonly RosterRow[]
  speakers: readonly Pick<Speaker, 'snapshot'>[]
  order: readonly number[]
  state: TableState
}

/** Smaller than this, nothing useful can be shown. */
export const SMALLEST = { columns: 40, rows: 12 }

/** Builds the model; reads only the speakers of visible rows. */
export function tableModel(input: TableInput): TableModel {
  const { columns, rows, colour, order, state, roster, speakers, summary } = input
  const banner = bannerText(summary)
  const { help, typing, filter, view } = state
  const layout = layoutOf({
    ...{ columns, rows, view, pay: summary.pay, hasBanner: banner !== undefined },
    speakers: roster.length,
  })
  const { map: plan, figures } = layout
  const place = { order, rows: Math.max(1, layout.tableRows) }
  const top = topOf(state, place)
  const marked = order[positionOf(state, place)]
  const shown = columnsFor(columns, state.sort)
  const lines = order.slice(top, top + place.rows).flatMap((index) => {
    const [row, speaker] = [roster[index], speakers[index]]
    if (!row || !speaker) return []
    const selected = index === marked
    return [{ index, parts: lineParts(shown, row, speaker, selected), selected }]
  })
  return {
    ...{ columns, rows, colour, layout, banner, state: { help, typing, filter } },
    totals: totalsText(summary, columns),
    figures: headerLines({ ...input, columns: figures.columns }).slice(0, figures.rows),
    map: plan && {
      caption: captionOf(input.map, plan, columns),
      rows: drawMap(input.map, plan, input.beat),
    },
    lines: layout.tableRows === 0 ? [] : lines,
    status: layout.tableRows === 0 ? 'm shows the table' : statusText(input, top, lines.length),
    titles: titleParts(shown, state),
  }
}

function lineParts(
  columns: readonly Column[],
  row: RosterRow,
  speaker: Pick<Speaker, 'snapshot'>,
  selected: boolean,
): TableLine['parts'] {
  let snapshot: ReturnType<typeof speaker.snapshot> | undefined
  const read = () => {
    snapshot ??= speaker.snapshot()
    return snapshot
  }
  const parts: { text: string; meaning: Meaning }[] = []
  const add = (text: string, given: Meaning) => {
    // The marked row is inverse: colours would tear it.
    const meaning = selected ? 'plain' : given
    const last = parts.at(-1)
    if (last?.meaning === meaning) last.text += text
    else parts.push({ text, meaning })
  }
  // Of a speaker without a line nothing is news.
  const usual: Meaning = row.link === 'connected' ? 'plain' : 'quiet'
  add((selected ? '›' : '').padEnd(MARK), 'plain')
  for (const [index, column] of columns.entries()) {
    const text = cell(column.text(row, read), column)
    const signed = column.hasSign ? 1 : text.length
    add(index === 0 ? '' : ' '.repeat(GAP), 'plain')
    const meaning = text.trim() === '–' ? 'quiet' : column.meaning(row, read)
    add(text.slice(0, signed), meaning === 'plain' ? usual : meaning)
    add(text.slice(signed), usual)
  }
  return parts.filter(({ text }) => text !== '')
}

function titleParts(columns: readonly Column[], { sort, reversed }: TableState): TableModel['titles'] {
  return columns.flatMap((column, index) => {
    const arrow = column.id === sort ? (reversed ? '▼' : '▲') : ''
    const text = cell(column.title + arrow, column)
    const before = ' '.repeat(index === 0 ? MARK : GAP) + text.slice(0, text.length - text.trimStart().length)
    return [
      { text: before, isTitle: false },
      { text: text.trim(), isTitle: true },
      { text: text.slice(text.trimEnd().length), isTitle: false },
    ]
  })
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
