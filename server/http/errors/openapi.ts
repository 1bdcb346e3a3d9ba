import type { ErrorDetail, ErrorName } from '../../platform/errors.ts'
import { type HeaderName, header } from '../openapi/components.ts'
import { story } from '../openapi/examples/story.ts'
import { type ErrorStatus, publicError } from './catalogue.ts'

/** The errors of every operation. */
const ALWAYS: readonly ErrorName[] = ['INTERNAL', 'UNAVAILABLE']

/** The headers of a status besides X-Request-Id. */
const HEADERS_OF: { [S in ErrorStatus]?: Record<string, HeaderName> } = {
  401: { 'WWW-Authenticate': 'Authenticate' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfter' },
}

/** The `details` in the examples of an operation's errors. */
export type ExampleDetails = { readonly [N in ErrorName]?: readonly ErrorDetail[] }

type Group = ErrorName | readonly ErrorName[] | ExampleDetails

/**
 * The error responses of an operation in OpenAPI, by status: every code with its sentence and an example. The schema is
 * the shared error body, restricted to these codes.
 */
export function errors(...groups: readonly Group[]) {
  const details: ExampleDetails = Object.assign({}, ...groups.filter(isDetails))
  const byStatus = new Map<ErrorStatus, ErrorName[]>()
  for (const kind of new Set([...groups.flatMap(namesIn), ...ALWAYS])) {
    const { status } = publicError(kind)
    byStatus.set(status, [...(byStatus.get(status) ?? []), kind])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [status, describe(status, kinds, details)]),
  )
}

function isNames(group: Group): group is readonly ErrorName[] {
  return Array.isArray(group)
}

function isDetails(group: Group): group is ExampleDetails {
  return typeof group === 'object' && !isNames(group)
}

function namesIn(group: Group): readonly ErrorName[] {
  if (typeof group === 'string') return [group]
  return isNames(group) ? group : []
}

function describe(status: ErrorStatus, kinds: readonly ErrorName[], details: ExampleDetails) {
  const known = kinds
    .map((kind) => ({ ...publicError(kind), details: details[kind] ?? [] }))
    .sort((a, b) => a.code - b.code)
  const headers = { 'X-Request-Id': 'RequestId', ...HEADERS_OF[status] } as const
  return {
    description: known.map(({ code, error, message }) => `- \`${code}\` ${error}: ${message}`).join('\n'),
    headers: Object.fromEntries(Object.entries(headers).map(([name, shared]) => [name, header(shared)])),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorResponsePayloadDto' },
            {
              type: 'object' as const,
              properties: {
                code: { enum: known.map(({ code }) => code) },
                error: { enum: [...new Set(known.map(({ error }) => error))] },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          known.map(({ code, error, message, details }) => [
            error,
            {
              summary: `${code} ${error}`,
              value: { code, error, message, requestId: story.requestId, details },
            },
          ]),
        ),
      },
    },
  }
}
