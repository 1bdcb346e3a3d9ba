import { story } from './examples/story.ts'

/**
 * Parameters and headers that several operations share; the document describes each once and refers to it. Why parameters
 * have no example: the reference page would send it with every request.
 */

const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9_=-]{1,128}$' } as const

export const PARAMETERS = {
  ClientId: {
    name: 'x-client-id',
    in: 'header',
    description:
      'Your client id. Optional, because the token identifies you. If sent, it must be the client of the token (else 401 `40105`).',
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id for this request, to find it in logs. A malformed id is replaced, not refused.',
    schema: REQUEST_ID,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat. For 24 hours, the same request, byte for byte, under the same key gets the first response again, with `Idempotent-Replayed: true`, and nothing is done twice. A key belongs to one partner, and to one method, path and body. These responses do not use up the key; send the same request again: 401, 413, 415, 429, 5xx, `40000`, `40001`, `40901`, `40905` and `40911`.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: "The event's id, the same at every attempt: tell repetitions by it.",
    schema: { type: 'string' },
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description:
      'When this attempt was made, in seconds since 1970. Refuse one that is more than 5 minutes off.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret has in base64 behind `whsec_`. After a rotation there are two, with a space between them: one of them must match.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+={0,2}( v1,[A-Za-z0-9+/]+={0,2})?$' },
  },
} as const

export const HEADERS = {
  RequestId: {
    description:
      "The request's id: yours if it was well-formed, else a new one. Include it when you ask for help.",
    required: true,
    schema: REQUEST_ID,
    example: story.requestId,
  },
  NoStore: {
    description: 'Tokens must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Authenticate: {
    description: 'The required scheme.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer realm="soundbox-hub"',
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Replayed: {
    description: '`true` for a repeated request: this is the first response again, and nothing was done.',
    schema: { type: 'string', const: 'true' },
  },
  FileName: {
    description: 'The name of a file (`text/csv`). JSON has none.',
    schema: { type: 'string', pattern: '^attachment; filename="[A-Za-z0-9_+-]+\\.csv"$' },
    example: 'attachment; filename="summary-2026-11-20-Asia-Ho_Chi_Minh.csv"',
  },
  RateLimitPolicy: {
    description:
      'Your quota (draft-ietf-httpapi-ratelimit-headers-11): q requests at once, restored in w seconds. Absent for callers that are not authenticated.',
    schema: { type: 'string' },
    example: '"partner";q=200;w=4',
  },
  RateLimit: {
    description: 'The rest of your quota: r requests now, one more in t seconds.',
    schema: { type: 'string' },
    example: '"partner";r=199;t=1',
  },
} as const

/** Headers of an answer, by their names in it. */
export type HeaderNames = Readonly<Record<string, keyof typeof HEADERS>>
export type ParameterName = keyof typeof PARAMETERS

/** Refers to headers of `HEADERS`. */
export const headers = (names: HeaderNames) =>
  Object.fromEntries(
    Object.entries(names).map(([name, shared]) => [
      name,
      { $ref: `#/components/headers/${shared}` as const },
    ]),
  )

/** Refers to parameters of `PARAMETERS`. */
export const parameters = (...names: readonly ParameterName[]) =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` as const }))
