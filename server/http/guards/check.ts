import type { Context, MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpEnv } from '../response/env.ts'

/** Looks at a request before its handler does; throws when it may not go on. Most have nothing to wait for. */
export type Check = (c: Context<HttpEnv>) => void | Promise<void>

/** Checks in their order, as one. */
export function inOrder(...checks: readonly Check[]): (c: Context<HttpEnv>) => Promise<void> {
  return async (c) => {
    for (const check of checks) {
      const underWay = check(c)
      if (underWay) await underWay
    }
  }
}

/** One middleware of checks: what Hono does between two middlewares costs more than most checks. */
export function checked(...checks: readonly Check[]): MiddlewareHandler<HttpEnv> {
  const pass = inOrder(...checks)
  return createMiddleware<HttpEnv>(async (c, next) => {
    await pass(c)
    await next()
  })
}
