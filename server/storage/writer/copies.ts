import { HubError } from '../../platform/errors.ts'
import type { Failure } from './wire.ts'

/** Node copies a Buffer to another thread as a plain array of bytes: it becomes a Buffer again. */
export function withBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withBuffers)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withBuffers(part)]))
}

/** An error as it goes to another thread. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof HubError)) return { kind: 'other', error: plainError(error) }
  const { kind: name, details, retryAfterS, cause } = error
  return { kind: 'hub', name, details, retryAfterS, cause: plainError(cause) }
}

/** Message and stack of an error, for the log. Its class and its other properties can't be copied. */
function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error)
  return Object.assign(new Error(error.message), { stack: error.stack })
}

/** The error of another thread. */
export function toError(failure: Failure): unknown {
  if (failure.kind === 'other') return failure.error
  const { name, details, retryAfterS, cause } = failure
  return new HubError(name, { details, ...(retryAfterS !== undefined && { retryAfterS }), cause })
}
