import { escaped } from '../../../protocol/text/escaped.ts'
import type { AnnouncementTrail } from '../../announcements/announcement.ts'
import { OperatorError, reason } from '../../platform/errors.ts'
import { when } from '../for-people.ts'

/** The output of a command, and whether it succeeded. */
export interface Outcome {
  /** Printed as one line of JSON with --json, or when standard output is not a terminal. */
  json: object
  /** Print each item of `json`, an array, as its own line. */
  linewise?: boolean
  /** Printed in place of `json` and `text`, wherever the output goes. */
  verbatim?: string
  /** Printed for a person. */
  text: string
  /** A drawing of ours, printed as it is below the text of a success. */
  drawing?: string
  /** Exit code 0 when true, 1 when the hub refused or something failed. */
  done: boolean
}

/** Controls (C0 and C1), line ends, and what changes the direction of a text or is not seen, such as U+202E and U+200B. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes a text from outside harmless on a terminal, as one line: what it would do there is written out, for instance
 * as \u001b. A device's model and the name of a shop may hold anything.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped)
}

/** As `printable`, for a text of several lines that are ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

export function outcome(isDone: boolean, json: object, ...lines: string[]): Outcome {
  return { json, text: lines.join('\n'), done: isDone }
}

export const done = (json: object, ...lines: string[]) => outcome(true, json, ...lines)
export const refused = (json: object, ...lines: string[]) => outcome(false, json, ...lines)

export function linewise(outcome: Outcome): Outcome {
  return { ...outcome, linewise: true }
}

/** Prints an outcome, a failure's sentence on standard error, and sets the exit code. */
export function print(outcome: Outcome, asJson: boolean) {
  // When one of many items fails, the finished ones are printed, also on a terminal.
  const isPartial = outcome.linewise === true && !outcome.done
  const json = outcome.verbatim !== undefined || asJson || isPartial || !process.stdout.isTTY
  if (json) process.stdout.write(outcome.verbatim ?? jsonOf(outcome))
  if (outcome.done) {
    if (!json)
      process.stdout.write(`${[printableLines(outcome.text), outcome.drawing ?? []].flat().join('\n')}\n`)
    return
  }
  process.stderr.write(`${printableLines(outcome.text)}\n`)
  process.exitCode = 1
}

function jsonOf({ json, linewise }: Outcome): string {
  const items: readonly unknown[] = linewise && Array.isArray(json) ? json : [json]
  // JSON reads what is written out as the character itself.
  return items.map((item) => `${printable(JSON.stringify(item))}\n`).join('')
}

/** Formats rows as aligned columns; without rows, returns `none`. */
export function table(head: string[], rows: string[][], none: string): string {
  if (rows.length === 0) return none
  const all = [head, ...rows.map((row) => row.map(printable))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return all.map((row) => line(row).trimEnd()).join('\n')
}

/** Formats fields as aligned lines, each value as one line. */
export function fields(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  const lines = Object.entries(values).map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`)
  return lines.join('\n')
}

/** Breaks a sentence into indented lines that fit 80 columns. */
export function wrapped(sentence: string): string {
  return printable(sentence)
    .replace(/(.{1,76})(?: +|$)/g, '  $1\n')
    .trimEnd()
}

export function cut(text: string, length: number): string {
  const shown = printable(text)
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown
}

/** The stages of an announcement in one line: the first with its time, the others by how much later. */
export function describeTrail({
  stage,
  times,
  reason,
}: Pick<AnnouncementTrail, 'stage' | 'times' | 'reason'>): string {
  const steps = Object.entries(times).sort(([, one], [, other]) => one - other)
  const start = steps[0]?.[1] ?? 0
  const later = (at: number) => `+${((at - start) / 1_000).toFixed(1)}s`
  const said = steps.map(([name, at], index) => `${name} ${index === 0 ? when(at) : later(at)}`)
  return [said.join(', ') || stage, ...(reason === undefined ? [] : [`(${printable(reason)})`])].join(' ')
}

/** The sentence of an uncaught error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  return `Failed: ${reason(error)}`
}
