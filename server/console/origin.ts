import type { Context } from 'hono'
import type { HttpEnv } from '../http/response/env.ts'

/**
 * Whether a request that changes something comes from a page of the console.
 *
 * Why not the cookie alone: SameSite ignores ports, so a page at another port of this machine would send it. Why not
 * hono/csrf: it takes either header, and looks at forms only.
 */
export function isOwnPost(c: Context<HttpEnv>, url: string | undefined): boolean {
  const site = c.req.header('sec-fetch-site')
  const host = c.req.header('host') ?? ''
  const own = url !== undefined && new URL(url).host === host ? url : `http://${host}`
  return c.req.header('origin') === own && (site === undefined || site === 'same-origin')
}
