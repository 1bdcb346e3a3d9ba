/** How far the import has come in one table, in this process. */
export interface Progress {
  step: 'copied' | 'compared'
  table: string
  rows: number
}

/** By rows and not by time: a small import reports nothing, however slow the machine is. */
const ROWS_A_REPORT = 50_000

/** A function that counts the rows of a page, and reports progress after every `ROWS_A_REPORT` rows. */
export function counter(step: Progress['step'], table: string, progress: (done: Progress) => void) {
  let rows = 0
  return (page: number) => {
    const before = Math.floor(rows / ROWS_A_REPORT)
    rows += page
    if (Math.floor(rows / ROWS_A_REPORT) > before) progress({ step, table, rows })
  }
}
