import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/**
 * The hub's log: one JSON object per line on standard error. Standard output carries only the ready line. Callers do
 * not log secrets or personal numbers; the redacted paths below are a second safeguard.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      redact: {
        paths: [
          '*.clientSecret',
          '*.accessToken',
          '*.refreshToken',
          '*.key',
          '*.password',
          '*.verificationCode',
          '*.authorization',
        ],
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
}
