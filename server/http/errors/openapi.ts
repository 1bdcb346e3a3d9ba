import type { ErrorDetail, ErrorName } from '../../platform/errors.ts'
import { type HeaderNames, headers } from '../openapi/components.ts'
import { example, story } from '../openapi/examples/story.ts'
import { type ErrorStatus, errorBody, publicError } from './catalogue.ts'

/** The errors of every operation. */
const ALWAYS: readonly ErrorName[] = ['INTERNAL', 'UNAVAILABLE']

/** The headers of a status besides X-Request-Id. */
const HEADERS_OF: { [S in ErrorStatus]?: HeaderNames } = {
  401: { 'WWW-Authenticate': 'Authenticate' },
  429: { 'Retry-After': 'RetryAfter' },
  503: { 'Retry-After': 'RetryAfter' },
}

/** The `details` in the examples of an operation's errors: issues by field. */
export type ExampleDetails = { readonly [N in ErrorName]?: Readonly<Record<string, string>> }

/**
 * The error responses of an operation in OpenAPI, by status: every code with its sentence and an example. The schema is
 * the shared error body, restricted to these codes. `shared` are the headers of all responses but 401: a caller that is
 * not authenticated learns nothing about a partner.
 */
export function errors(kinds: readonly ErrorName[], details: ExampleDetails, shared: HeaderNames) {
  const byStatus = Map.groupBy(new Set([...kinds, ...ALWAYS]), (kind) => publicError(kind).status)
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [status, describe(status, kinds, details, shared)]),
  )
}

function detailsOf(issues: Readonly<Record<string, string>> = {}): ErrorDetail[] {
  return Object.entries(issues).map(([field, issue]) => ({ field, issue }))
}

function describe(
  status: ErrorStatus,
  kinds: readonly ErrorName[],
  details: ExampleDetails,
  shared: HeaderNames,
) {
  const known = kinds
    .map((kind) => errorBody({ kind, details: detailsOf(details[kind]) }, story.requestId))
    .sort((a, b) => a.code - b.code)
  return {
    description: known.map(({ code, error, message }) => `- \`${code}\` ${error}: ${message}`).join('\n'),
    headers: headers({
      ...{ 'X-Request-Id': 'RequestId', ...HEADERS_OF[status] },
      ...(status !== 401 && shared),
    }),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorResponsePayloadDto' },
            {
              type: 'object' as const,
              required: ['code', 'error'],
              properties: {
                code: { enum: known.map(({ code }) => code) },
                error: { enum: [...new Set(known.map(({ error }) => error))] },
              },
            },
          ],
        },
        examples: Object.fromEntries(
          known.map((body) => [body.error, example(`${body.code} ${body.error}`, body)]),
        ),
      },
    },
  }
}
