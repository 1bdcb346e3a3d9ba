import { type DestinationStream, type Logger, pino } from 'pino'

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
      redact: {
        paths: SECRETS.map((name) => `*.${name}`),
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
}
