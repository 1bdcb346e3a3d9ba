import { failure, type QrResult, success } from './error.ts'
import { indexAfter } from './tlv.ts'

/**
 * Characters of a payload. EMVCo asks for at most 512; codes in circulation pass that, and 1024 is what the
 * partner API takes.
 */
export const MAX_PAYLOAD_LENGTH = 1024

/** The payload when it is short enough. The check costs no more for one that is far too long. */
export function checkSize(payload: string): QrResult<string> {
  const limit = indexAfter(payload, 0, MAX_PAYLOAD_LENGTH)
  if (limit === undefined || limit === payload.length) return success(payload)
  return failure('too_long', limit, `a payload has at most ${MAX_PAYLOAD_LENGTH} characters`)
}
