import { type DestinationStream, type Logger, pino } from 'pino'
import { escaped } from '../../protocol/text/escaped.ts'

export type { Logger }

const SECRETS = 'clientSecret accessToken refreshToken key password verificationCode authorization'.split(' ')

/**
 * The hub's log: one JSON object per line on standard error. Standard output carries only the ready line. Callers do
 * not log secrets or personal numbers; the redaction is a second safeguard.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: printable },
      redact: {
        // Where a line of the hub can have them. A wildcard would copy what each line says: 5 of its 7 µs.
        paths: SECRETS.flatMap((name) => [name, `err.${name}`]),
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
}

const ASCII = /^[ -~]*\n$/
/** What a terminal obeys or does not show: control and format characters, above all those that change the direction. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Escapes the unprintable characters of a JSON line that has ended. They can stand in its strings only, where an escape
 * means the same. JSON itself escapes no character above U+001F.
 */
function printable(line: string): string {
  if (ASCII.test(line)) return line
  return `${line.trimEnd().replace(UNPRINTABLE, escaped)}\n`
}
