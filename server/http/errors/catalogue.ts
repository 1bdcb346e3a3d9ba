import type { ErrorName, HubError } from '../../platform/errors.ts'

/** How an error looks from outside. */
interface PublicError {
  /** Its first three digits are the HTTP status. */
  code: number
  error: string
  message: string
}

const e = (code: number, error: string, message: string): PublicError => ({ code, error, message })

/** The one place where an error's name becomes a code, a status and a sentence. */
const PUBLIC: Record<ErrorName, PublicError> = {
  MALFORMED_JSON: e(40000, 'MALFORMED_JSON', 'The body is not a JSON object in UTF-8.'),
  VALIDATION_FAILED: e(
    40001,
    'VALIDATION_FAILED',
    'The request has fields that are missing or not valid; see details.',
  ),
  IDEMPOTENCY_KEY_REUSED: e(
    40002,
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used with another request: a new request needs a new key.',
  ),
  MALFORMED_HTTP: e(40003, 'MALFORMED_HTTP', 'The request is not well-formed HTTP/1.1, or ended too early.'),
  NO_MQTT_HANDSHAKE: e(
    40004,
    'NO_MQTT_HANDSHAKE',
    'This path takes WebSocket handshakes for the subprotocol mqtt.',
  ),
  VERIFICATION_CODE_INVALID: e(
    40010,
    'VERIFICATION_CODE_INVALID',
    'The verification code is invalid: a new code must be requested.',
  ),
  VERIFICATION_CODE_EXPIRED: e(
    40011,
    'VERIFICATION_CODE_EXPIRED',
    'The verification code has expired: a new code must be requested.',
  ),
  VERIFICATION_CODE_NOT_FOUND: e(
    40012,
    'VERIFICATION_CODE_NOT_FOUND',
    'No verification code is outstanding for this device: a new code must be requested.',
  ),
  BODY_DEVICE_NOT_FOUND: e(40013, 'DEVICE_NOT_FOUND', 'There is no such device.'),
  CHECKSUM_MISMATCH: e(40014, 'CHECKSUM_MISMATCH', 'The checksum does not match; see details.'),
  BODY_STORE_NOT_FOUND: e(40016, 'STORE_NOT_FOUND', 'There is no such store.'),
  TRANSACTION_CONFLICT: e(
    40018,
    'TRANSACTION_CONFLICT',
    'This transaction was reported before with other content; nothing was changed.',
  ),
  BILL_ALREADY_PAID: e(40019, 'BILL_ALREADY_PAID', 'This bill is paid already.'),
  QR_AMOUNT_MISMATCH: e(40020, 'QR_AMOUNT_MISMATCH', 'The QR code carries another amount than the request.'),
  MISSING_CREDENTIALS: e(
    40100,
    'MISSING_CREDENTIALS',
    'Send credentials: an access token in the header Authorization: Bearer or, to get one, your client id and client secret.',
  ),
  INVALID_TOKEN: e(40101, 'INVALID_TOKEN', 'The access token is not valid.'),
  TOKEN_EXPIRED: e(40102, 'TOKEN_EXPIRED', 'The access token has expired: refresh it.'),
  INVALID_CLIENT: e(40103, 'INVALID_CLIENT', 'The client id or client secret is wrong.'),
  INVALID_REFRESH_TOKEN: e(
    40104,
    'INVALID_REFRESH_TOKEN',
    'The refresh token is not valid: get a new token.',
  ),
  CLIENT_ID_MISMATCH: e(40105, 'CLIENT_ID_MISMATCH', 'x-client-id is not the client of the access token.'),
  CLIENT_DISABLED: e(40106, 'CLIENT_DISABLED', 'This client is disabled.'),
  REFRESH_TOKEN_REUSED: e(
    40107,
    'REFRESH_TOKEN_REUSED',
    'The refresh token was used before; all its tokens are revoked: get a new token.',
  ),
  ROUTE_NOT_FOUND: e(40400, 'ROUTE_NOT_FOUND', 'There is nothing at this path.'),
  DEVICE_NOT_FOUND: e(40401, 'DEVICE_NOT_FOUND', 'There is no such device.'),
  STORE_NOT_FOUND: e(40402, 'STORE_NOT_FOUND', 'There is no such store.'),
  TRANSACTION_NOT_FOUND: e(40403, 'TRANSACTION_NOT_FOUND', 'There is no such transaction.'),
  METHOD_NOT_ALLOWED: e(
    40500,
    'METHOD_NOT_ALLOWED',
    'This path does not take that method; see the header Allow.',
  ),
  REQUEST_TIMEOUT: e(40800, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  DEVICE_OFFLINE: e(40901, 'DEVICE_OFFLINE', 'The device is not connected: nothing was done or counted.'),
  TERMINAL_ID_TAKEN: e(40904, 'TERMINAL_ID_TAKEN', 'Another of your stores has this terminalID.'),
  DEVICE_DISPLAY_FAILED: e(
    40905,
    'DEVICE_DISPLAY_FAILED',
    'The device could not show the code; nothing was counted.',
  ),
  DEVICE_AUDIO_FAILED: e(40906, 'DEVICE_AUDIO_FAILED', 'The device could not make a sound; see details.'),
  PAYLOAD_TOO_LARGE: e(41300, 'PAYLOAD_TOO_LARGE', 'The body is larger than 16 KiB.'),
  UNSUPPORTED_MEDIA_TYPE: e(
    41500,
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as application/json in UTF-8, not compressed.',
  ),
  RATE_LIMITED: e(42900, 'RATE_LIMITED', 'Too many requests: try again after the time in Retry-After.'),
  VERIFICATION_QUOTA: e(
    42901,
    'VERIFICATION_QUOTA',
    'The codes of this 15-minute period are used up: try again after the time in Retry-After.',
  ),
  TOO_MANY_LOGIN_FAILURES: e(
    42902,
    'TOO_MANY_LOGIN_FAILURES',
    'Too many failed logins of this client: try again after the time in Retry-After.',
  ),
  HEADERS_TOO_LARGE: e(43100, 'HEADERS_TOO_LARGE', 'The headers are larger than 8 KiB.'),
  INTERNAL: e(50000, 'INTERNAL', 'Something went wrong on our side.'),
  UNAVAILABLE: e(
    50300,
    'UNAVAILABLE',
    'The hub can not take this now: try again after the time in Retry-After.',
  ),
  DEVICE_NOT_RESPONDING: e(
    50401,
    'DEVICE_NOT_RESPONDING',
    'The device did not confirm in time; a code that it may show now is not valid, and not counted.',
  ),
}

export type ErrorStatus = 400 | 401 | 404 | 405 | 408 | 409 | 413 | 415 | 429 | 431 | 500 | 503 | 504

export function publicError(kind: ErrorName): PublicError & { status: ErrorStatus } {
  const found = PUBLIC[kind]
  // Every code above starts with one of these statuses.
  return { ...found, status: Math.floor(found.code / 100) as ErrorStatus }
}

/** Headers that the status calls for. */
export function errorHeaders(error: HubError, status: ErrorStatus): Record<string, string> {
  const headers: Record<string, string> = {}
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="soundbox-hub"'
  if (error.retryAfterS !== undefined) headers['Retry-After'] = String(error.retryAfterS)
  else if (status === 429 || status === 503) headers['Retry-After'] = '1'
  return headers
}
