import { type Clock, HubClient, type HubClientOptions } from '../../../clients/typescript/src/index.ts'
import { settle } from '../../support/clock.ts'

/** A hub that answers as a test says: a client, its requests, and its pauses. */

export const CLIENT_ID = 'sbc_1'
export const CLIENT_SECRET = 'sbs_very-secret'

export interface Sent {
  method: string
  path: string
  headers: Headers
  body: string | undefined
  redirect: RequestInit['redirect'] | undefined
}

/** An answer, or what fetch rejects with. It never comes when undefined. */
export type Said = Response | Error | undefined | Promise<Response>

/** An error in the words of the hub. */
export function refusal(code: number, headers: Record<string, string> = {}): Response {
  const body = { code, error: `E${code}`, message: 'Refused.', requestId: 'r-1', details: [] }
  return Response.json(body, {
    status: Math.floor(code / 100),
    headers: { 'X-Request-Id': 'r-1', ...headers },
  })
}

export const RECORD = { id: 'p-1', storeId: 's-1' }
/** The hub has taken the payment. */
export const done = () => Response.json(RECORD)
/** What fetch rejects with when there is no connection. */
export const failed = () => new TypeError('fetch failed')
/** An answer of a proxy before the hub. */
export const proxy = (status: number, headers = {}) => new Response('<html>', { status, headers })

let made = 0
/** New tokens, each time others. */
export function tokens(expiresIn = 3_600): Response {
  made += 1
  const answer = { accessToken: `sba_${made}`, refreshToken: `sbr_${made}`, tokenType: 'Bearer' }
  return Response.json({ ...answer, expiresIn, refreshExpiresIn: 2_592_000 })
}

/** A clock that jumps to the end of each sleep as soon as nothing else moves. */
function createJumpingClock() {
  let now = 0
  const slept: number[] = []
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      await settle()
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
  return {
    clock,
    /** The sleeps that ended, in milliseconds. */
    slept,
    wind(ms: number) {
      now += ms
    },
  }
}

/**
 * `answers` gives the next answer to a request other than one for tokens. Those get new tokens unless `auth` says
 * otherwise.
 */
export function createStage(
  answers: (sent: Sent, number: number) => Said,
  {
    auth = () => tokens(),
    ...options
  }: { auth?: (sent: Sent) => Said } & Partial<Omit<HubClientOptions, 'fetch' | 'clock'>> = {},
) {
  const time = createJumpingClock()
  const requests: Sent[] = []
  const logins: Sent[] = []
  const stub: typeof fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(String(input))
    const sent: Sent = {
      ...{ method: String(init.method), path: pathname.replace('/api/v1/partner', '') + search },
      ...{
        headers: new Headers(init.headers),
        redirect: init.redirect,
        body: init.body === undefined ? undefined : String(init.body),
      },
    }
    const isLogin = pathname.includes('/auth/')
    ;(isLogin ? logins : requests).push(sent)
    const said = isLogin ? auth(sent) : answers(sent, requests.length)
    if (said === undefined) return new Promise<never>(() => {})
    if (said instanceof Error) throw said
    return said
  }
  const hub = new HubClient({
    ...{ url: 'https://hub.example', clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    // Growing pauses are at their longest.
    ...{ fetch: stub, clock: time.clock, random: () => 0, ...options },
  })
  return { ...time, hub, requests, logins }
}

/** Answers from a list; the last one stays. */
export const inTurn =
  (...answers: (() => Said)[]) =>
  (_: Sent, number: number) =>
    answers[Math.min(number, answers.length) - 1]?.()
