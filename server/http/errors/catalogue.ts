import { ERRORS, type ErrorName, type HubError } from '../../platform/errors.ts'

export type ErrorStatus = 400 | 401 | 404 | 405 | 408 | 409 | 413 | 415 | 421 | 429 | 431 | 500 | 503 | 504

/** An error as callers see it. */
interface PublicError {
  status: ErrorStatus
  code: number
  error: string
  message: string
}

export function publicError(kind: ErrorName): PublicError {
  const [code, message, error = kind] = ERRORS[kind]
  // Every code of the table starts with one of these statuses: held by test/server/http/errors/errors.test.ts.
  return { status: Math.floor(code / 100) as ErrorStatus, code, error, message }
}

/** The body of every error. */
export function errorBody({ kind, details }: Pick<HubError, 'kind' | 'details'>, requestId: string) {
  const { code, error, message } = publicError(kind)
  return { code, error, message, requestId, details }
}

/** The headers that a status requires. */
export function errorHeaders(error: HubError, status: ErrorStatus): Record<string, string> {
  const headers: Record<string, string> = {}
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="soundbox-hub"'
  if (error.retryAfterS !== undefined) headers['Retry-After'] = String(error.retryAfterS)
  else if (status === 429 || status === 503) headers['Retry-After'] = '1'
  return headers
}
