import type { Context } from 'hono'
import type { HttpEnv } from '../response/env.ts'

/** Examines a request before its handler; throws when it must be refused. */
export type Check = (c: Context<HttpEnv>) => void | Promise<void>

/** Runs checks in order. Most have nothing to wait for, and a wait costs a callback more than such a check. */
export async function runChecks(checks: readonly Check[], c: Context<HttpEnv>) {
  for (const check of checks) {
    const pending = check(c)
    if (pending) await pending
  }
}
