/** The name of every error that the hub returns. The codes, statuses and sentences are in http/errors. */
export type ErrorName =
  | 'MALFORMED_JSON'
  | 'VALIDATION_FAILED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'MALFORMED_HTTP'
  | 'NO_MQTT_HANDSHAKE'
  | 'VERIFICATION_CODE_INVALID'
  | 'VERIFICATION_CODE_EXPIRED'
  | 'VERIFICATION_CODE_NOT_FOUND'
  | 'BODY_DEVICE_NOT_FOUND'
  | 'CHECKSUM_MISMATCH'
  | 'BODY_STORE_NOT_FOUND'
  | 'TRANSACTION_CONFLICT'
  | 'BILL_ALREADY_PAID'
  | 'QR_AMOUNT_MISMATCH'
  | 'MISSING_CREDENTIALS'
  | 'INVALID_TOKEN'
  | 'TOKEN_EXPIRED'
  | 'INVALID_CLIENT'
  | 'INVALID_REFRESH_TOKEN'
  | 'CLIENT_ID_MISMATCH'
  | 'CLIENT_DISABLED'
  | 'REFRESH_TOKEN_REUSED'
  | 'ROUTE_NOT_FOUND'
  | 'DEVICE_NOT_FOUND'
  | 'STORE_NOT_FOUND'
  | 'TRANSACTION_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'DEVICE_OFFLINE'
  | 'TERMINAL_ID_TAKEN'
  | 'DEVICE_DISPLAY_FAILED'
  | 'DEVICE_AUDIO_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'VERIFICATION_QUOTA'
  | 'TOO_MANY_LOGIN_FAILURES'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DEVICE_NOT_RESPONDING'

/** One mistake in a request: the field's name as the API spells it, and a sentence. */
export interface ErrorDetail {
  field: string
  issue: string
}

/** An expected error. The caller may see `kind` and `details`, so they must not contain secrets. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly kind: ErrorName
  readonly details: ErrorDetail[]
  /** Seconds after which the caller should retry. */
  readonly retryAfterS: number | undefined

  constructor(
    kind: ErrorName,
    more: { details?: ErrorDetail[]; retryAfterS?: number; cause?: unknown } = {},
  ) {
    super(kind, { cause: more.cause })
    this.kind = kind
    this.details = more.details ?? []
    this.retryAfterS = more.retryAfterS
  }
}

/** A mistake of the operator. The message is one sentence that says what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
