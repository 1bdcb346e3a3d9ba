import { type HeaderName, header, parameter } from './components.ts'

/**
 * The headers that follow from what an operation can answer, added here once instead of at every route: whoever
 * can be RATE_LIMITED is told its limit, whoever knows IDEMPOTENCY_KEY_REUSED takes a key and repeats answers.
 */

interface Described {
  parameters?: object[]
  responses: Record<string, { headers?: object }>
}

const LIMIT = { 'RateLimit-Policy': 'RateLimitPolicy', RateLimit: 'RateLimit' } as const
const REPLAY = { 'Idempotent-Replayed': 'Replayed' } as const

/** Adds them to a document of OpenAPI 3.1. */
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
  // Whoever has not proven who they are is told nothing of a partner.
  for (const [status, response] of Object.entries(operation.responses))
    if (status !== '401') response.headers = { ...response.headers, ...references(added) }
}

function references(names: Record<string, HeaderName>): object {
  return Object.fromEntries(Object.entries(names).map(([name, shared]) => [name, header(shared)]))
}

/** An operation's responses name every error that it can answer with. */
function canAnswer(operation: Described, error: string): boolean {
  return JSON.stringify(operation.responses).includes(error)
}
