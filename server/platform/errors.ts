/**
 * Every error that the hub answers with: its code, whose first three digits are the HTTP status, and its sentence.
 * A third item is the public name, when two codes share one: a device in the body is 400, one in the path is 404.
 */
export const ERRORS = {
  MALFORMED_JSON: [40000, 'The body is not a JSON object in UTF-8.'],
  VALIDATION_FAILED: [40001, 'Some fields are missing or invalid; see details.'],
  IDEMPOTENCY_KEY_REUSED: [40002, 'Another request used this Idempotency-Key: send a new key.'],
  MALFORMED_HTTP: [40003, 'The request is not well-formed HTTP/1.1, or it ended too early.'],
  NO_MQTT_HANDSHAKE: [40004, 'This path takes WebSocket handshakes for the subprotocol mqtt.'],
  VERIFICATION_CODE_INVALID: [40010, 'The verification code is invalid: request a new code.'],
  VERIFICATION_CODE_EXPIRED: [40011, 'The verification code has expired: request a new code.'],
  VERIFICATION_CODE_NOT_FOUND: [
    40012,
    'This device has no outstanding verification code: request a new code.',
  ],
  BODY_DEVICE_NOT_FOUND: [40013, 'This device does not exist.', 'DEVICE_NOT_FOUND'],
  CHECKSUM_MISMATCH: [40014, 'The checksum does not match; see details.'],
  BODY_STORE_NOT_FOUND: [40016, 'This store does not exist.', 'STORE_NOT_FOUND'],
  TRANSACTION_CONFLICT: [40018, 'This transaction was reported before with other content; nothing changed.'],
  BILL_ALREADY_PAID: [40019, 'This bill is already paid.'],
  QR_AMOUNT_MISMATCH: [40020, 'The QR code carries another amount than the request.'],
  WEBHOOK_URL_REFUSED: [40021, 'Webhooks are not sent to this address; see details.'],
  STATEMENT_UNREADABLE: [
    40022,
    'This file is no statement that can be read; nothing was imported; see details.',
  ],
  MISSING_CREDENTIALS: [
    40100,
    'Send an access token in the header Authorization: Bearer or, to get one, your client id and client secret.',
  ],
  INVALID_TOKEN: [40101, 'The access token is not valid.'],
  TOKEN_EXPIRED: [40102, 'The access token has expired: refresh it.'],
  INVALID_CLIENT: [40103, 'The client id or client secret is wrong.'],
  INVALID_REFRESH_TOKEN: [40104, 'The refresh token is not valid: get a new token.'],
  CLIENT_ID_MISMATCH: [40105, 'x-client-id is not the client of the access token.'],
  CLIENT_DISABLED: [40106, 'This client is disabled.'],
  REFRESH_TOKEN_REUSED: [
    40107,
    'This refresh token was used before. All tokens of its login are revoked: get a new token.',
  ],
  ROUTE_NOT_FOUND: [40400, 'This path does not exist.'],
  DEVICE_NOT_FOUND: [40401, 'This device does not exist.'],
  STORE_NOT_FOUND: [40402, 'This store does not exist.'],
  TRANSACTION_NOT_FOUND: [40403, 'This transaction does not exist.'],
  WEBHOOK_NOT_FOUND: [40404, 'This webhook does not exist.'],
  EVENT_NOT_FOUND: [40405, 'This event does not exist, or is not kept any more.'],
  STATEMENT_NOT_FOUND: [40406, 'This statement does not exist.'],
  METHOD_NOT_ALLOWED: [40500, 'This path does not take this method; see the header Allow.'],
  REQUEST_TIMEOUT: [40800, 'The request took too long to arrive.'],
  DEVICE_OFFLINE: [40901, 'The device is not connected. Nothing was done or counted.'],
  TERMINAL_ID_TAKEN: [40904, 'Another of your stores has this terminalID.'],
  DEVICE_DISPLAY_FAILED: [40905, 'The device could not show the code. Nothing was counted.'],
  DEVICE_AUDIO_FAILED: [40906, 'The device could not make a sound; see details.'],
  DEVICE_CANNOT: [40907, 'This device cannot do that, and was not asked to; see details.'],
  WEBHOOK_ROTATION_UNDER_WAY: [
    40908,
    'The secret before the newest still signs: rotate again 24 hours after the last rotation.',
  ],
  WEBHOOK_LIMIT: [40909, 'You have 10 webhooks, and may have no more: delete one first.'],
  STATEMENT_KNOWN: [40910, 'This file was imported before; details has the id of its statement.'],
  WEBHOOK_REPLAY_UNDER_WAY: [
    40911,
    'A range of events is still being sent to this webhook: GET /webhook/{id} shows how far it is.',
  ],
  STATEMENT_UNDER_WAY: [
    40912,
    'Another statement of this account is being imported: wait for the seconds in Retry-After.',
  ],
  EVENTS_GONE: [41000, 'The events behind this seq are not kept any more; see details.'],
  PAYLOAD_TOO_LARGE: [41300, 'The body is larger than 16 KiB, or a statement than 20 MB.'],
  WEBHOOK_REPLAY_TOO_LARGE: [41301, 'This range has more than 100,000 events; see details.'],
  UNSUPPORTED_MEDIA_TYPE: [
    41500,
    'Send the body as application/json in UTF-8, a statement as text/csv or application/xml; not compressed.',
  ],
  WRONG_HOST: [
    42100,
    'This port does not go by this name: ask it by an address, or have the name set in HUB_ADMIN_NAMES.',
  ],
  RATE_LIMITED: [42900, 'Too many requests: wait for the seconds in Retry-After.'],
  VERIFICATION_QUOTA: [
    42901,
    'This device has used its codes of this 15-minute period: wait for the seconds in Retry-After.',
  ],
  TOO_MANY_LOGIN_FAILURES: [
    42902,
    'Too many wrong secrets came for this client: check the secret, and wait for the seconds in Retry-After.',
  ],
  HEADERS_TOO_LARGE: [43100, 'The headers are larger than 8 KiB.'],
  INTERNAL: [50000, 'The hub has failed to handle this request.'],
  UNAVAILABLE: [50300, 'The hub cannot handle this now: wait for the seconds in Retry-After.'],
  DEVICE_NOT_RESPONDING: [
    50401,
    'The device did not confirm in time. A code that it may show now is not valid and was not counted.',
  ],
} as const satisfies Record<string, readonly [code: number, message: string, publicName?: string]>

export type ErrorName = keyof typeof ERRORS

/** One problem of a request: the field's name as the interface writes it, and a sentence. */
export interface ErrorDetail {
  field: string
  issue: string
}

/** A refusal or failure with a name. Nothing in it is secret: its details may reach the caller. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly kind: ErrorName
  readonly details: ErrorDetail[]
  /** Seconds after which a retry makes sense. */
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

/** Whether it is the error of a storage that can't answer now. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.kind === 'UNAVAILABLE'
}

/** For `catch`: passes over the error of a storage that can't answer now. */
export function exceptUnavailable(error: unknown) {
  if (!isUnavailable(error)) throw error
}

/** An error about one field. */
export function fieldError(kind: ErrorName, field: string, issue: string): HubError {
  return new HubError(kind, { details: [{ field, issue }] })
}

/** A mistake of the person who starts or operates the hub: one sentence that says what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** The message of a caught error. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** fetch() says only that it failed; its cause says why, for instance that a certificate is not trusted. */
export function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown = Object(cause).code
  return typeof code === 'string' ? code : reason(cause ?? error)
}
