import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from './env.ts'

/** Looks at a request before its handler does; throws when it may not go on. */
export type Check = (c: Context<HttpEnv>) => void | Promise<void>

/** One middleware of checks, in their order: what Hono does between two middlewares costs more than most checks. */
export function checked(...checks: readonly Check[]): MiddlewareHandler<HttpEnv> {
  return createMiddleware<HttpEnv>(async (c, next) => {
    for (const check of checks) await check(c)
    await next()
  })
}
