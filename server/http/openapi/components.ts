import { story } from './examples/story.ts'

/**
 * Parameters and headers that operations share. The description says each once and refers to it. Why parameters
 * have no example: the reference would send it with every request that is tried.
 */

const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9_=-]{1,128}$' } as const

export const PARAMETERS = {
  ClientId: {
    name: 'x-client-id',
    in: 'header',
    description:
      'Your client id. Not needed: the token alone says who you are. When sent it must be the client of the token (else 401 `40105`).',
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'An id of your own for this request, to find it in logs by. One that is not well-formed is replaced, not refused.',
    schema: REQUEST_ID,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours the same request, byte for byte, under the same key gets the first answer again, with `Idempotent-Replayed: true`, and nothing is done twice. A key belongs to one partner, and to one method, path and body. Answers that say nothing about the act, or only of the moment, are not kept: 401, 413, 415, 429, 5xx, `40000`, `40001`, `40901` and `40905`.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
} as const

export const HEADERS = {
  RequestId: {
    description:
      "The request's id: yours when it was well-formed, else one that was made. Tell it when you ask for help.",
    required: true,
    schema: REQUEST_ID,
    example: story.requestId,
  },
  NoStore: {
    description: 'Tokens belong in no cache.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Authenticate: {
    description: 'The scheme that is expected.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer realm="soundbox-hub"',
  },
  RetryAfter: {
    description: 'Seconds after which asking again makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Replayed: {
    description:
      '`true` when this was asked before: the answer is the first one again, and nothing was done.',
    schema: { type: 'string', const: 'true' },
  },
  RateLimitPolicy: {
    description:
      'Your quota (draft-ietf-httpapi-ratelimit-headers-11): q requests at once, grown back in w seconds. Not told to who has not proven who they are.',
    schema: { type: 'string' },
    example: '"partner";q=200;w=4',
  },
  RateLimit: {
    description: 'What is left of it: r requests now, more in t seconds.',
    schema: { type: 'string' },
    example: '"partner";r=199;t=1',
  },
} as const

export type HeaderName = keyof typeof HEADERS

/** Refers to a header of `HEADERS`. */
export const header = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` as const })

export const parameter = (name: keyof typeof PARAMETERS) => ({
  $ref: `#/components/parameters/${name}` as const,
})

/** What every operation takes that needs no token. */
export const byAnyone = { parameters: [parameter('RequestId')] }

/** What every operation takes that needs a partner's token. */
export const byPartner = {
  security: [{ bearer: [] }],
  parameters: [parameter('ClientId'), parameter('RequestId')],
}
