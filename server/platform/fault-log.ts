import type { Clock } from './clock.ts'
import { reason } from './errors.ts'
import type { Logger } from './log.ts'

const MINUTE_MS = 60_000

/**
 * Logs a fault that may come with every request: its first error at once, then once a minute how often it came. Errors with
 * one code are one fault: their messages may name a file or a block.
 */
export function createFaultLog(log: Logger, { after }: Pick<Clock, 'after'>, what: string) {
  const counts = new Map<string, number>()

  function tellLater(code: string) {
    after(MINUTE_MS, () => {
      const times = counts.get(code)
      counts.delete(code)
      if (!times) return
      log.error({ code, times }, `${what}, in the last minute`)
      counts.set(code, 0)
      tellLater(code)
    })
  }

  return (error: unknown, more: object = {}) => {
    const code = codeOf(error)
    const times = counts.get(code)
    counts.set(code, (times ?? -1) + 1)
    if (times !== undefined) return
    log.error({ ...more, err: error }, what)
    tellLater(code)
  }
}

/** Of a driver or of the system, such as 53100 or SQLITE_FULL. */
function codeOf(error: unknown): string {
  const code: unknown = Object(error).code
  return typeof code === 'string' ? code : reason(error)
}
