import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from '../response/env.ts'

/** Examines a request before its handler; throws when it must be refused. */
export type Check = (c: Context<HttpEnv>) => void | Promise<void>

/** One middleware that runs several checks in order. */
export function checked(...checks: readonly Check[]): MiddlewareHandler<HttpEnv> {
  return createMiddleware<HttpEnv>(async function runChecks(c, next) {
    for (const check of checks) await check(c)
    await next()
  })
}
