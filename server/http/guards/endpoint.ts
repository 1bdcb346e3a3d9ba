import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, Next } from 'hono'
import { HubError } from '../../platform/errors.ts'
import type { HttpEnv } from '../response/env.ts'
import { runChecks } from './checks.ts'
import type { Guard } from './guards.ts'
import { describeOperation, type Operation } from './operation.ts'

/** Adds an operation to the app and to its description. */
export function endpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>(app: OpenAPIHono<HttpEnv>, guard: Guard, operation: Operation<Params, Query, Body, Answer>) {
  const [method, path] = operation.route
  app.openAPIRegistry.registerPath(describeOperation(guard, operation))
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const respond = (c: Context<HttpEnv>) => answer(c, operation)
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
}

/** Parses what the guard has let pass, carries the operation out, and answers. */
async function answer(c: Context<HttpEnv>, operation: Operation): Promise<Response> {
  const { status = 200, params, query, body } = operation
  const answered = await operation.handle({
    c,
    clientId: c.get('clientId'),
    params: params ? validated(params, c.req.param()) : {},
    query: query ? validatedQuery(query, c.req.queries()) : {},
    body: body && validated(body, c.get('body')),
  })
  if (answered instanceof Response) return answered
  return status === 204 ? c.body(null, status) : c.json(answered, status)
}

/** Details of one answer: all of a status request with 100 devices. A body may have thousands of wrong items. */
const MOST_DETAILS = 200

/** Parses a body by its schema; throws VALIDATION_FAILED with details. */
export function validated<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw validationError(parsed.error)
  return parsed.data
}

/**
 * Parses the parameters of a query by their schema. A parameter that the operation does not have is refused, because a
 * filter with a mistake in its name would be ignored; one that comes twice as well.
 */
export function validatedQuery<T extends z.ZodObject>(
  schema: T,
  queries: Record<string, string[]>,
): z.output<T> {
  const details = Object.entries(queries).flatMap(([field, values]) => {
    if (!Object.hasOwn(schema.shape, field)) return [{ field, issue: 'is not a parameter of this operation' }]
    return values.length > 1 ? [{ field, issue: 'must be given once' }] : []
  })
  const single = Object.entries(queries).map(([field, [value]]) => [field, value])
  const parsed = schema.safeParse(Object.fromEntries(single))
  if (parsed.success && details.length === 0) return parsed.data
  const wrong = parsed.success ? [] : validationError(parsed.error).details
  const more = wrong.filter(({ field }) => !details.some((known) => known.field === field))
  throw new HubError('VALIDATION_FAILED', { details: [...details, ...more].slice(0, MOST_DETAILS) })
}

/** Lists every wrong field once, with its first problem, up to 200. */
function validationError(error: z.core.$ZodError): HubError {
  const details = new Map<string, string>()
  for (const issue of error.issues) {
    if (details.size === MOST_DETAILS) break
    const field = issue.path.map(String).join('.') || 'body'
    if (!details.has(field)) details.set(field, deepest(issue))
  }
  return new HubError('VALIDATION_FAILED', {
    details: [...details].map(([field, issue]) => ({ field, issue })),
  })
}

/** The issue of a union's first branch, because that branch describes the field. */
function deepest(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  const first = issue.errors.at(0)?.at(0)
  return first ? deepest(first) : issue.message
}
