import { appendFileSync } from 'node:fs'
import { messageOf } from '../../../platform/error-text.ts'
import { figureIn, figuresOfLine } from './figure-table.ts'
import { type Summary, summaryLine } from './lines.ts'

const FIGURES = figuresOfLine(summaryLine)

/** The first line of the CSV (RFC 4180): the names of the figures. */
export const CSV_HEADER = `${['at', 'phase', ...FIGURES.map(({ name }) => name)].join(',')}\r\n`

/** A line of the CSV. What was not measured is empty. */
export function csvLine(summary: Summary): string {
  const values = FIGURES.map((figure) => figureIn(summary, figure) ?? '')
  return `${[summary.at, summary.phase, ...values].join(',')}\r\n`
}

/** Adds a line for each summary to a file. After a write that fails, it complains and writes no more. */
export function csvWriter(file: string, complain: (sentence: string) => void): (summary: Summary) => void {
  let isBroken = false
  const write = (text: string) => {
    if (isBroken) return
    try {
      appendFileSync(file, text)
    } catch (error) {
      isBroken = true
      complain(`--csv: ${file} can't be written any more: ${messageOf(error)}`)
    }
  }
  write(CSV_HEADER)
  return (summary) => write(csvLine(summary))
}
