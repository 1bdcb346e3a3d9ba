import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/**
 * The hub's log: one JSON object a line on standard error, so that standard output carries only the ready
 * line. The paths below are a second guard: no caller passes a secret or a personal number in the first place.
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
