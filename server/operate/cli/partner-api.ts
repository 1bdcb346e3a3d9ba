import { z } from 'zod'
import { causeOf, OperatorError } from '../../platform/errors.ts'

/** What the partner API has answered. */
export interface ApiAnswer {
  status: number
  headers: Headers
  /** Null when it is not JSON. */
  body: unknown
}

export interface ApiRequest {
  token?: string
  /** A POST when present, else a GET. */
  body?: object
  signal?: AbortSignal
}

export interface PartnerCredentials {
  clientId: string
  clientSecret: string
}

/** `fetch`, or what answers in its place in a test. */
export type Fetch = (request: Request) => Response | Promise<Response>

/** Nobody has answered, or somebody who is no hub. */
export class NoAnswer extends OperatorError {
  readonly why: string

  constructor(why: string, sentence: string) {
    super(sentence)
    this.why = why
  }
}

export function noAnswerAt(base: string, why: string): NoAnswer {
  return new NoAnswer(
    why,
    `No hub answers at ${base} (${why}): start it with npm start, or give its address with --url.`,
  )
}

/** Sends one request to the hub at `base`. Throws a NoAnswer. */
export async function askHub(
  base: string,
  path: string,
  { token, body, signal }: ApiRequest,
  send: Fetch = fetch,
): Promise<ApiAnswer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }
  const post = body && { method: 'POST', body: JSON.stringify(body) }
  try {
    // A redirect would take the secret to another address.
    const init = { headers, ...post, redirect: 'manual' as const, ...(signal && { signal }) }
    const response = await send(new Request(`${base.replace(/\/+$/, '')}${path}`, init))
    const { status, headers: answered } = response
    return { status, headers: answered, body: await response.json().catch(() => null) }
  } catch (error) {
    throw noAnswerAt(base, causeOf(error))
  }
}

const login = z.object({ accessToken: z.string() })

/** Gets an access token. It is undefined when the hub has refused the login. */
export async function logIn(
  base: string,
  { clientId, clientSecret, signal }: PartnerCredentials & Pick<ApiRequest, 'signal'>,
  send?: Fetch,
) {
  const request = { body: { clientId, clientSecret }, ...(signal && { signal }) }
  const answer = await askHub(base, '/api/v1/partner/auth/token', request, send)
  return { answer, token: login.safeParse(answer.body).data?.accessToken }
}
