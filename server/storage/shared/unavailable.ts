import { HubError } from '../../platform/errors.ts'

/** The error of a storage that can't answer now: the caller can try again in a second. */
export function unavailable(cause?: unknown): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: 1, cause })
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.kind === 'UNAVAILABLE'
}
