import { withOffset } from '../platform/time/zoned-time.ts'

/**
 * Times as the command line writes them for people. JSON has ISO 8601.
 *
 * Why the zone is no parameter: it is a setting of the whole command, as the environment variable TZ is. `--tz` sets TZ
 * before the command runs (cli/command-parts.ts).
 */

/** Formats an instant in the zone of the process, with its offset: `2026-11-20 10:15:30+07:00`. */
export function when(ms: number | undefined): string {
  if (ms === undefined) return '-'
  const minutes = -new Date(ms).getTimezoneOffset()
  return withOffset(ms, minutes).replace('T', ' ').replace(/\.\d+/, '')
}
