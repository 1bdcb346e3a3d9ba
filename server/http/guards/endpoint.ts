import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, Next } from 'hono'
import { validated, validatedQuery } from '../openapi/validation.ts'
import type { HttpEnv } from '../response/env.ts'
import { runChecks } from './check.ts'
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
