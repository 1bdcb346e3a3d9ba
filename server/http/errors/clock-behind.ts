import { type ErrorName, HubError } from '../../platform/errors.ts'

/** After so many seconds somebody, or NTP, may have set the clock right. */
const CLOCK_RETRY_S = 30

/** Refusals that depend on the time alone. */
const BY_TIME: ReadonlySet<ErrorName> = new Set([
  'TOKEN_EXPIRED',
  'VERIFICATION_CODE_EXPIRED',
  'VERIFICATION_QUOTA',
  'WEBHOOK_ROTATION_UNDER_WAY',
])

/** What a hub answers that does not know the time: the same request may be right when the clock is. */
export function clockIsWrong(): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: CLOCK_RETRY_S })
}

/** The error to answer with while the clock is behind. */
export function withoutTime(error: HubError): HubError {
  return BY_TIME.has(error.kind) ? clockIsWrong() : error
}
