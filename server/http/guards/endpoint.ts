import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, Next } from 'hono'
import type { ErrorName } from '../../platform/errors.ts'
import { type ExampleDetails, errors } from '../errors/openapi.ts'
import { type HeaderName, headers, parameters } from '../openapi/components.ts'
import { example } from '../openapi/examples/story.ts'
import { validated, validatedQuery } from '../openapi/validation.ts'
import type { HttpEnv } from '../response/env.ts'
import { runChecks } from './check.ts'
import type { Guard } from './guards.ts'

/** Example bodies by name, each with a summary. */
type Examples<T> = Readonly<Record<string, { summary: string; value: T }>>

/** An operation of the partner API: its description in OpenAPI, and the function that handles it. */
interface Operation<
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
  answerHeaders?: Readonly<Record<string, HeaderName>>
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

/** Adds an operation to the app and to its description. */
export function endpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>(app: OpenAPIHono<HttpEnv>, guard: Guard, operation: Operation<Params, Query, Body, Answer>) {
  const { status = 200, params, query, body, handle } = operation
  const [method, path] = operation.route
  app.openAPIRegistry.registerPath(describe(guard, operation))
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
  if (guard.around) app.on(method, [pattern], checked, guard.around, respond)
  else
    app.on(method, [pattern], async (c) => {
      await runChecks(guard.checks, c)
      return respond(c)
    })

  async function checked(c: Context<HttpEnv>, next: Next) {
    await runChecks(guard.checks, c)
    await next()
  }

  async function respond(c: Context<HttpEnv>) {
    const answer = await handle({
      c,
      clientId: c.get('clientId'),
      params: parsed(params, params && c.req.param()),
      query: query ? validatedQuery(query, c.req.queries()) : (undefined as z.output<Query>),
      body: parsed(body, body && c.get('body')),
    })
    if (answer instanceof Response) return answer
    return status === 204 ? c.body(null, status) : c.json(answer, status)
  }
}

/** Without a schema, nothing is known of the value's type, so undefined will do. */
function parsed<T extends z.ZodType>(schema: T | undefined, value: unknown): z.output<T> {
  return schema ? validated(schema, value) : (undefined as z.output<T>)
}

/** The headers and the parameter that follow from the errors that an operation can answer with. */
const LIMIT = { 'RateLimit-Policy': 'RateLimitPolicy', RateLimit: 'RateLimit' } as const
const REPLAY = { 'Idempotent-Replayed': 'Replayed' } as const

function describe(guard: Guard, operation: Operation) {
  const [method, path] = operation.route
  const { operationId, summary, params, query, body, answer, csv, examples, tag = 'Partner' } = operation
  const ofQuery: readonly ErrorName[] = query ? ['VALIDATION_FAILED'] : []
  const kinds = [...guard.errors, ...ofQuery, ...(operation.errors ?? [])]
  const isKeyed = kinds.includes('IDEMPOTENCY_KEY_REUSED')
  const shared = { ...(kinds.includes('RATE_LIMITED') && LIMIT), ...(isKeyed && REPLAY) }
  return {
    ...{ method, path, operationId, summary, tags: [tag], security: guard.security },
    description: operation.description.join(' '),
    parameters: parameters(...guard.parameters, ...(isKeyed ? (['IdempotencyKey'] as const) : [])),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && {
        body: {
          required: operation.optionalBody === undefined,
          ...(operation.optionalBody !== undefined && { description: operation.optionalBody }),
          content: { 'application/json': { schema: body, examples: examples.request ?? {} } },
        },
      }),
    },
    responses: {
      [operation.status ?? 200]: {
        description: operation.answered,
        headers: headers({ 'X-Request-Id': 'RequestId', ...shared, ...operation.answerHeaders }),
        ...(answer && {
          content: {
            'application/json': { schema: answer, examples: examples.answer ?? {} },
            ...(csv !== undefined && {
              'text/csv': {
                schema: { type: 'string' as const },
                examples: { file: example('A whole file', csv) },
              },
            }),
          },
        }),
      },
      ...errors(kinds, examples.errors ?? {}, shared),
    },
  }
}
