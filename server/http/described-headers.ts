/**
 * The headers of the described operations. They follow from what an operation can answer, so they are added here
 * once instead of at every route: whoever can be RATE_LIMITED is told its limit, whoever knows
 * IDEMPOTENCY_KEY_REUSED takes a key, whoever knows TRANSACTION_CONFLICT repeats an answer without one.
 */

interface Described {
  parameters?: object[]
  responses: Record<string, { headers?: object }>
}

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

const COMPONENTS = {
  headers: {
    XRequestId: text(
      'The id of the request: that of the header X-Request-Id when it is well-formed, else a new one.',
      '0f0c9a9e-5a4e-4f0b-9a52-0d7c5f7f3f1e',
    ),
    RateLimitPolicy: text(
      'The quota of the partner (draft-ietf-httpapi-ratelimit-headers-11): q requests at once, grown back in w seconds. Not told to who is not authenticated.',
      '"partner";q=200;w=4',
    ),
    RateLimit: text(
      'What is left of it: r requests now, more in t seconds. Not told to who is not authenticated.',
      '"partner";r=199;t=1',
    ),
    RetryAfter: {
      description: 'Seconds after which asking again makes sense.',
      schema: { type: 'integer', examples: [1] },
    },
    WWWAuthenticate: text('How to authenticate.', 'Bearer realm="soundbox-hub"'),
    IdempotentReplayed: text('`true` on an answer that was given before and is repeated.', 'true'),
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes the request safe to repeat: for 24 hours the same request under the same key gets the first answer again, with `Idempotent-Replayed: true`, and nothing is done twice. A key belongs to one partner, and to one method, path and body. Answers 401, 413, 415, 429, 5xx, `40000` and `40001` are not kept.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
    },
  },
}

const header = (name: keyof typeof COMPONENTS.headers) => ({ $ref: `#/components/headers/${name}` })

/** Adds parameters and response headers to a document of OpenAPI 3.1. */
export function describeHeaders(document: { paths?: object; components?: object }): object {
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values<Described>(item))
  for (const operation of operations) {
    const limited = canAnswer(operation, 'RATE_LIMITED')
    const keyed = canAnswer(operation, 'IDEMPOTENCY_KEY_REUSED')
    const repeats = keyed || canAnswer(operation, 'TRANSACTION_CONFLICT')
    if (keyed)
      operation.parameters = [
        ...(operation.parameters ?? []),
        { $ref: '#/components/parameters/IdempotencyKey' },
      ]
    for (const [status, response] of Object.entries(operation.responses))
      response.headers = {
        ...response.headers,
        'X-Request-Id': header('XRequestId'),
        ...(limited &&
          status !== '401' && {
            'RateLimit-Policy': header('RateLimitPolicy'),
            RateLimit: header('RateLimit'),
          }),
        ...(status === '401' && { 'WWW-Authenticate': header('WWWAuthenticate') }),
        ...(['429', '503'].includes(status) && { 'Retry-After': header('RetryAfter') }),
        ...(repeats && status !== '401' && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
      }
  }
  return { ...document, components: { ...document.components, ...COMPONENTS } }
}

/** An operation's responses name every error that it can answer with. */
function canAnswer(operation: Described, error: string): boolean {
  return JSON.stringify(operation.responses).includes(error)
}
