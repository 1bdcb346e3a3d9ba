import { OPERATIONS } from '../generated/operations.ts'
import { attempt, type OutgoingRequest } from './attempt.ts'
import { withLimit } from './clock.ts'
import { HubError, NoAnswerError, type OperationName } from './errors.ts'
import type { CallOptions, HubClientOptions } from './options.ts'
import { isRepeatable, isUndone, judge, pauseMs } from './retry.ts'
import { createLinks } from './signals.ts'
import { createTokens } from './tokens.ts'

export type Caller = (name: OperationName, input: CallInput, options?: CallOptions) => Promise<unknown>

export interface CallInput {
  path?: Readonly<Record<string, string>> | undefined
  query?: object | undefined
  body?: object | undefined
  /** In place of a body of JSON. */
  file?: { type: string; content: string | Uint8Array<ArrayBuffer> }
  /** The type of the answer: JSON without it. */
  accept?: string
  /** Reads the answer. Throws when it is not whole. */
  read?: (text: string) => unknown
}

/** Returns the function that sends all requests of a client. It adds the token, and repeats a request until a time limit. */
export function createCaller(settings: Required<HubClientOptions>): Caller {
  const { clientId, clientSecret, clock, random } = settings
  const base = baseOf(settings.url)
  const logIn = (name: OperationName, body: object) =>
    // A caller that waits for the token judges the error, and asks again.
    send(settings, toRequest(base, name, { body }), 1, settings.attemptLimitMs, undefined)
  const tokens = createTokens({
    logIn: () => logIn('getAccessToken', { clientId, clientSecret }),
    refresh: (refreshToken) => logIn('refreshAccessToken', { refreshToken }),
    now: clock.now,
  })

  const linkTo = createLinks()
  return async function call(name, input, options = {}) {
    const link = linkTo(options.signal)
    try {
      return await repeat(name, input, options, link.signal)
    } finally {
      link.end()
    }
  }

  async function repeat(name: OperationName, input: CallInput, options: CallOptions, signal: AbortSignal) {
    const { timeLimitMs = settings.timeLimitMs, attemptLimitMs = settings.attemptLimitMs } = options
    const untilMs = clock.now() + timeLimitMs
    const request = toRequest(base, name, input, options.idempotencyKey)
    const repeatable = isRepeatable(name, OPERATIONS[name])
    const needsToken = name !== 'getAccessToken' && name !== 'refreshAccessToken'
    let isNewToken = false
    let mayBeDone = false
    for (let number = 1; ; number += 1) {
      signal.throwIfAborted()
      let token: string | undefined
      try {
        const leftMs = () => Math.max(untilMs - clock.now(), 1)
        const late = () => new NoAnswerError(name, 'no token within the time limit')
        if (needsToken) token = await withLimit(tokens.get, { clock, limitMs: leftMs(), signal, late })
        const limitMs = Math.min(attemptLimitMs, leftMs())
        return await send(settings, withToken(request, token), number, limitMs, signal)
      } catch (error) {
        const wasSent = !needsToken || token !== undefined
        // An attempt before this one has deleted it.
        if (mayBeDone && request.method === 'DELETE' && error instanceof HubError && error.status === 404)
          return
        const verdict = judge(error, repeatable || !wasSent)
        // This token was new: a third one would be refused, too.
        if (verdict.do === 'give up' || (verdict.do === 'renew' && isNewToken)) throw error
        isNewToken = verdict.do === 'renew'
        if (verdict.do === 'renew') {
          if (token !== undefined) tokens.refused(token)
          continue
        }
        mayBeDone ||= wasSent && !isUndone(error)
        const ms = pauseMs(number, verdict.ms, random)
        if (clock.now() + ms >= untilMs) throw error
        await clock.sleep(ms, signal)
      }
    }
  }
}

function baseOf(url: string | URL): string {
  const { protocol, username, password, origin, pathname } = new URL(url)
  if (!/^https?:$/.test(protocol))
    throw new TypeError('the address of the hub begins with https:// or http://')
  if (username || password) throw new TypeError('the address of the hub has no user name and no password')
  return origin + pathname.replace(/\/+$/, '')
}

/** Sends a request once, and tells how it went. */
async function send(
  { fetch, clock, onAttempt }: Required<HubClientOptions>,
  request: OutgoingRequest,
  number: number,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const startedAtMs = clock.now()
  let response: Response | undefined
  const tell = (error?: unknown) =>
    onAttempt({
      operation: request.operation,
      number,
      ms: clock.now() - startedAtMs,
      status: response?.status,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      error,
    })
  const answered = (given: Response) => {
    response = given
  }
  const limits = { fetch, clock, limitMs, signal, answered }
  const refused = (error: unknown) => {
    tell(error)
    throw error
  }
  const answer = await attempt(request, limits).catch(refused)
  tell()
  return answer
}

/** The request of an operation, without a token. */
function toRequest(
  base: string,
  operation: OperationName,
  { path = {}, query = {}, body, file, accept = 'application/json', read = JSON.parse }: CallInput,
  idempotencyKey?: string,
): OutgoingRequest {
  const { method, path: template, takesKey } = OPERATIONS[operation]
  const place = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return {
    operation,
    method,
    url: `${base}${place}${search.toString() && `?${search}`}`,
    headers: {
      Accept: accept,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(file && { 'Content-Type': file.type }),
      ...(takesKey && { 'Idempotency-Key': idempotencyKey ?? crypto.randomUUID() }),
    },
    body: file ? file.content : body === undefined ? undefined : JSON.stringify(body),
    read,
  }
}

const withToken = (request: OutgoingRequest, token: string | undefined): OutgoingRequest =>
  token === undefined
    ? request
    : { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } }
