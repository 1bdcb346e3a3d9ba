import { failure, type QrResult, success } from './error.ts'
import { indexAfter } from './tlv.ts'

/**
 * The maximum characters of a payload. EMVCo allows 512. Codes in circulation exceed that, and the partner API accepts
 * 1024.
 */
export const MAX_PAYLOAD_LENGTH = 1024

/** Returns the payload if it is short enough. The cost of the check does not grow with the payload. */
export function checkSize(payload: string): QrResult<string> {
  const limit = indexAfter(payload, 0, MAX_PAYLOAD_LENGTH)
  if (limit === undefined || limit === payload.length) return success(payload)
  return failure('too_long', limit, `a payload has at most ${MAX_PAYLOAD_LENGTH} characters`)
}
