import { type HeaderName, header, parameter } from './components.ts'

/**
 * Adds the headers that follow from an operation's errors, so that no route has to list them: an operation that can be
 * RATE_LIMITED has the rate limit's headers, one with IDEMPOTENCY_KEY_REUSED takes a key and repeats responses.
 */

interface Described {
  parameters?: object[]
  responses: Record<string, { headers?: object }>
}

const LIMIT = { 'RateLimit-Policy': 'RateLimitPolicy', RateLimit: 'RateLimit' } as const
const REPLAY = { 'Idempotent-Replayed': 'Replayed' } as const

export function describeHeaders<D extends { paths?: object }>(document: D): D {
  for (const item of Object.values(document.paths ?? {}))
    for (const operation of Object.values<Described>(item)) describeOperation(operation)
  return document
}

function describeOperation(operation: Described) {
  const isKeyed = canAnswer(operation, 'IDEMPOTENCY_KEY_REUSED')
  const added = {
    ...(canAnswer(operation, 'RATE_LIMITED') && LIMIT),
    ...(isKeyed && REPLAY),
  }
  if (isKeyed) operation.parameters = [...(operation.parameters ?? []), parameter('IdempotencyKey')]
  // A caller that is not authenticated learns nothing about a partner.
  for (const [status, response] of Object.entries(operation.responses))
    if (status !== '401') response.headers = { ...response.headers, ...references(added) }
}

function references(names: Record<string, HeaderName>): object {
  return Object.fromEntries(Object.entries(names).map(([name, shared]) => [name, header(shared)]))
}

/** An operation's responses name all its errors. */
function canAnswer(operation: Described, error: string): boolean {
  return JSON.stringify(operation.responses).includes(error)
}
