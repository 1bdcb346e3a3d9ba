import { OperatorError, reason } from '../../platform/errors.ts'

/** The output of a command, and whether it succeeded. */
export interface Outcome {
  /** Printed as one line of JSON with --json, or when standard output is not a terminal. */
  json: object
  /** Print each item of `json`, an array, as its own line. */
  linewise?: boolean
  /** Printed for a person. */
  text: string
  /** Exit code 0 when true, 1 when the hub refused or something failed. */
  done: boolean
}

export function done(json: object, text: string): Outcome {
  return { json, text, done: true }
}

/** Prints one line of JSON for each item. */
export function linewise(outcome: Outcome): Outcome {
  return { ...outcome, linewise: true }
}

export function refused(json: object, text: string): Outcome {
  return { json, text, done: false }
}

/** Prints an outcome, a failure's sentence on standard error, and sets the exit code. */
export function print(outcome: Outcome, asJson: boolean) {
  // When one of many items fails, the finished ones are printed, also on a terminal.
  const isPartial = outcome.linewise === true && !outcome.done
  const json = asJson || isPartial || !process.stdout.isTTY
  if (json) process.stdout.write(jsonOf(outcome))
  if (outcome.done) {
    if (!json) process.stdout.write(`${outcome.text}\n`)
    return
  }
  process.stderr.write(`${outcome.text}\n`)
  process.exitCode = 1
}

function jsonOf({ json, linewise }: Outcome): string {
  const items: readonly unknown[] = linewise && Array.isArray(json) ? json : [json]
  return items.map((item) => `${JSON.stringify(item)}\n`).join('')
}

/** Formats rows as aligned columns; without rows, returns `none`. */
export function table(head: string[], rows: string[][], none: string): string {
  if (rows.length === 0) return none
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return all.map((row) => line(row).trimEnd()).join('\n')
}

/** Formats an instant for a person. */
export function when(ms: number | undefined): string {
  return ms === undefined ? '-' : new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}

/** The sentence of an uncaught error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  return `Failed: ${reason(error)}`
}
