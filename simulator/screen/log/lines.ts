import { timeOfDay } from '../drawing/clock-text.ts'
import { cellsOf, printable, shortened, wrap } from '../drawing/text.ts'
import type { Meaning } from '../drawing/theme.ts'
import type { LogRow } from './rows.ts'

/** A line of the log: time, direction, text. */
export interface LogLine {
  time: string
  mark: string
  text: string
  /** The colour of the mark. */
  meaning: Meaning
}

/** From this width, stage and type have their own columns, and the time includes the hours. */
const WIDE = 53
const TYPE = 10
const NUMBER = 6
const SHORT_NUMBER = 5
const SIZE = 6

/** The lines of one row, none wider than `columns` cells. An event may take several lines. */
export function linesOf(row: LogRow, columns: number): LogLine[] {
  const short = columns < WIDE
  const time = timeOfDay(row.atMs, short)
  // The mark, with a space before and after it.
  const room = columns - time.length - 3
  if (row.kind === 'packet') {
    const text = short ? narrowPacket(row, room) : widePacket(row, room)
    return [{ time, mark: row.mark, text, meaning: row.meaning }]
  }
  return wrap(printable(row.text), room).map((text, index) =>
    index === 0
      ? { time, mark: row.mark, text, meaning: row.meaning }
      : { time: ' '.repeat(time.length), mark: ' ', text, meaning: row.meaning },
  )
}

/** The header of the columns. */
export function logHeader(columns: number): LogLine {
  const short = columns < WIDE
  const time = 'time'.padEnd(short ? 5 : 8)
  const room = columns - time.length - 3
  const text = short
    ? `${'type'.padEnd(room - SHORT_NUMBER - SIZE - 2)} ${'n'.padEnd(SHORT_NUMBER)} ${'size'.padStart(SIZE)}`
    : `${'type'.padEnd(TYPE)} ${'n'.padEnd(NUMBER)} ${'stage'.padEnd(room - TYPE - NUMBER - SIZE - 3)} ${'size'.padStart(SIZE)}`
  return { time, mark: ' ', text, meaning: 'plain' }
}

type PacketRow = Extract<LogRow, { kind: 'packet' }>

function widePacket({ type, n, outcome, bytes }: PacketRow, room: number): string {
  const lead = `${fitted(type, TYPE)} ${fitted(numberText(n), NUMBER)}`
  const stageColumns = room - TYPE - NUMBER - SIZE - 3
  const stage = outcome.length > stageColumns ? failedShort(outcome) : outcome
  return `${lead} ${fitted(stage, stageColumns)} ${sizeText(bytes)}`
}

/** Type and stage share a column; the size is dropped when they need its space. */
function narrowPacket({ type, n, outcome, bytes }: PacketRow, room: number): string {
  const what = outcome.startsWith('failed ') ? failedShort(outcome) : `${type} ${outcome}`.trimEnd()
  const number = numberText(n)
  const whatColumns = room - SHORT_NUMBER - SIZE - 2
  if (what.length <= whatColumns && number.length <= SHORT_NUMBER)
    return `${fitted(what, whatColumns)} ${number.padEnd(SHORT_NUMBER)} ${sizeText(bytes)}`
  return `${fitted(what, room - number.length - 1)} ${number}`
}

/** Drops "failed": the reason says more. */
function failedShort(outcome: string): string {
  return outcome.replace(/^failed /, '✕ ')
}

function numberText(n: number | undefined): string {
  return n === undefined ? '' : `#${n}`
}

function sizeText(bytes: number | undefined): string {
  return (bytes === undefined ? '' : `${bytes} B`).padStart(SIZE)
}

/** Shortens or pads a text to exactly `cells` cells. */
function fitted(text: string, cells: number): string {
  const shown = shortened(printable(text), cells)
  return shown + ' '.repeat(cells - cellsOf(shown))
}
