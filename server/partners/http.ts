import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { jsonBody, limitedBody, unbroken } from '../http/guards/checks.ts'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guard, Guards } from '../http/guards/guards.ts'
import { authExamples as examples } from '../http/openapi/examples/auth.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { HubError } from '../platform/errors.ts'
import { readBasicCredentials } from './basic-credentials.ts'
import { loginDto, refreshDto, tokensDto } from './dto.ts'
import type { manageTokens } from './tokens.ts'

export type PartnerVerbs = ReturnType<typeof manageTokens>

/** POST /partner/auth/token and /partner/auth/refresh */
export function partnerRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PartnerVerbs) {
  const logInPartner = (c: Context<HttpEnv>, { clientId, clientSecret }: z.infer<typeof loginDto>) =>
    verbs.logIn(clientId, clientSecret, {
      network: guards.networkOf(c),
      admit: (proven) => guards.admit(c, proven),
    })

  /** Answers a request with an empty body, whose credentials are in its header; parses the body of any other. */
  const basicLogin: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const isEmpty = (await unbroken(() => c.req.arrayBuffer())).byteLength === 0
    const authorization = c.req.header('authorization')
    // An empty body that has a Content-Type and no Authorization gets the error of an empty body.
    if (!isEmpty || (authorization === undefined && c.req.header('content-type') !== undefined)) {
      await jsonBody(c)
      return next()
    }
    if (authorization === undefined) throw new HubError('MISSING_CREDENTIALS')
    const basic = readBasicCredentials(authorization)
    if (!basic) throw new HubError('INVALID_CLIENT')
    return c.json(await logInPartner(c, basic))
  }
  const withCredentials: Guard = {
    ...guards.anyoneWithBody,
    checks: [limitedBody],
    around: basicLogin,
    security: [{}, { basic: [] }],
  }

  endpoint(app, withCredentials, {
    route: ['post', '/partner/auth/token'],
    operationId: 'getAccessToken',
    summary: 'Get access token for partner client',
    description: [
      'Exchanges client id and client secret for tokens. Send them in the body, or in the header `Authorization: Basic` with an empty body.',
      'Every login starts its own family of tokens. Tokens of earlier logins stay valid.',
      'After 10 wrong secrets for a client in 5 minutes, further wrong ones from the same network get 429 `42902`. The right secret is never refused because of wrong ones.',
    ],
    body: loginDto,
    optionalBody: 'The credentials; empty when they are in the header.',
    answer: tokensDto,
    answered: 'The tokens.',
    answerHeaders: { 'Cache-Control': 'NoStore' },
    errors: [
      'MISSING_CREDENTIALS',
      'INVALID_CLIENT',
      'CLIENT_DISABLED',
      'CLIENT_ID_MISMATCH',
      'RATE_LIMITED',
      'TOO_MANY_LOGIN_FAILURES',
    ],
    examples: examples.getAccessToken,
    handle: ({ c, body }) => logInPartner(c, body),
  })
  refreshRoute(app, guards, verbs)
}

function refreshRoute(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PartnerVerbs) {
  endpoint(app, guards.anyoneWithBody, {
    route: ['post', '/partner/auth/refresh'],
    operationId: 'refreshAccessToken',
    summary: 'Refresh token',
    description: [
      'Exchanges a refresh token for a new access token and a new refresh token; keep the newest.',
      'The old refresh token works for 60 more seconds, or until the new one is first used, so that you can retry after a lost response. Using it later is treated as theft: it revokes all tokens of the login, 401 `40107`.',
      'All tokens of a login expire thirty days after it, however often you refresh.',
    ],
    body: refreshDto,
    answer: tokensDto,
    answered: 'New tokens; they replace the old refresh token.',
    answerHeaders: { 'Cache-Control': 'NoStore' },
    errors: [
      'INVALID_REFRESH_TOKEN',
      'REFRESH_TOKEN_REUSED',
      'CLIENT_DISABLED',
      'CLIENT_ID_MISMATCH',
      'RATE_LIMITED',
    ],
    examples: examples.refreshAccessToken,
    handle: ({ c, body }) => verbs.refresh(body.refreshToken, (owner) => guards.admit(c, owner)),
  })
}
