import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { ErrorName } from '../../platform/errors.ts'
import { type ExampleDetails, errors } from '../errors/openapi.ts'
import { type HeaderNames, headers, parameters } from '../openapi/components.ts'
import { example } from '../openapi/examples/story.ts'
import type { HttpEnv } from '../response/env.ts'
import type { Guard } from './guards.ts'

/** Example bodies by name, each with a summary. */
type Examples<T> = Readonly<Record<string, { summary: string; value: T }>>

/** An operation of the partner API: its description in OpenAPI, and the function that handles it. */
export interface Operation<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  route: readonly [method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string]
  tag?: string
  operationId: string
  summary: string
  /** Sentences. */
  description: readonly string[]
  params?: Params
  /** It is refused with VALIDATION_FAILED. */
  query?: Query
  body?: Body
  /** The media types of a file in place of a JSON body, each with an example. */
  files?: Readonly<Record<string, string>>
  /** Says when the body may be empty. */
  optionalBody?: string
  /** Absent: the answer has no body, and `status` is 204. */
  answer?: Answer
  /** Of the answer; 200 when absent. */
  status?: 201 | 202 | 204
  answered: string
  /** An example of the same answer as text/csv. */
  csv?: string
  /** Headers of the answer that the guard does not set. */
  answerHeaders?: HeaderNames
  /** Errors besides those of the guard. */
  errors?: readonly ErrorName[]
  examples: {
    request?: Examples<z.input<Body>>
    answer?: Examples<z.input<Answer>>
    errors?: ExampleDetails
  }
  /** Returns the answer's body, or the whole response. */
  handle(call: {
    c: Context<HttpEnv>
    clientId: string
    params: z.output<Params>
    query: z.output<Query>
    body: z.output<Body>
  }): Promise<z.input<Answer> | Response>
}

/** The headers and the parameter that follow from the errors that an operation can answer with. */
const LIMIT = { 'RateLimit-Policy': 'RateLimitPolicy', RateLimit: 'RateLimit' } as const
const REPLAY = { 'Idempotent-Replayed': 'Replayed' } as const

/** An operation behind its guard, as the OpenAPI document has it. */
export function describeOperation(guard: Guard, operation: Operation) {
  const [method, path] = operation.route
  const { operationId, summary, description, tag = 'Partner', examples } = operation
  const ofQuery: readonly ErrorName[] = operation.query ? ['VALIDATION_FAILED'] : []
  const kinds = [...guard.errors, ...ofQuery, ...(operation.errors ?? [])]
  const isKeyed = kinds.includes('IDEMPOTENCY_KEY_REUSED')
  const shared = { ...(kinds.includes('RATE_LIMITED') && LIMIT), ...(isKeyed && REPLAY) }
  return {
    ...{ method, path, operationId, summary, tags: [tag], security: guard.security },
    description: description.join(' '),
    parameters: parameters(...guard.parameters, ...(isKeyed ? (['IdempotencyKey'] as const) : [])),
    request: describeRequest(operation),
    responses: {
      [operation.status ?? 200]: describeAnswer(operation, shared),
      ...errors(kinds, examples.errors ?? {}, shared),
    },
  }
}

function describeRequest({ params, query, body, files, optionalBody, examples }: Operation) {
  return {
    ...(files && { body: { required: true, content: describeFiles(files) } }),
    ...(params && { params }),
    ...(query && { query }),
    ...(body && {
      body: {
        required: optionalBody === undefined,
        ...(optionalBody !== undefined && { description: optionalBody }),
        content: { 'application/json': { schema: body, examples: examples.request ?? {} } },
      },
    }),
  }
}

function describeFiles(files: NonNullable<Operation['files']>) {
  const types = Object.entries(files).map(([type, file]) => {
    const schema = { type: 'string' as const, format: 'binary' }
    return [type, { schema, examples: { file: example('A whole file', file) } }] as const
  })
  return Object.fromEntries(types)
}

function describeAnswer({ answered, answer, csv, answerHeaders, examples }: Operation, shared: HeaderNames) {
  const file = csv !== undefined && {
    'text/csv': { schema: { type: 'string' as const }, examples: { file: example('A whole file', csv) } },
  }
  return {
    description: answered,
    headers: headers({ 'X-Request-Id': 'RequestId', ...shared, ...answerHeaders }),
    ...(answer && {
      content: { 'application/json': { schema: answer, examples: examples.answer ?? {} }, ...file },
    }),
  }
}
