import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { errors } from '../http/errors/openapi.ts'
import { jsonBody, limitedBody, unbroken } from '../http/guards/body.ts'
import { checked } from '../http/guards/check.ts'
import type { Guards } from '../http/guards/guards.ts'
import { byAnyone, header } from '../http/openapi/components.ts'
import { authExamples as examples } from '../http/openapi/examples/auth.ts'
import { json, jsonRequest, prose } from '../http/openapi/schemas.ts'
import { validated } from '../http/openapi/validation.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { HubError } from '../platform/errors.ts'
import { readBasicCredentials } from './basic-credentials.ts'
import { loginDto, refreshDto, tokensDto } from './dto.ts'
import type { AdmitPartner, IssuedTokens } from './tokens.ts'

/** Tokens must not be cached. */
const NO_STORE = { 'Cache-Control': 'no-store' }

export interface PartnerVerbs {
  logIn: (clientId: string, clientSecret: string, admit: AdmitPartner) => Promise<IssuedTokens>
  refresh: (refreshToken: string, admit: AdmitPartner) => Promise<IssuedTokens>
}

/** POST /partner/auth/token and /partner/auth/refresh */
export function partnerRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PartnerVerbs) {
  const answerLogin = async (c: Context<HttpEnv>, { clientId, clientSecret }: z.infer<typeof loginDto>) => {
    const tokens = await verbs.logIn(clientId, clientSecret, (proven) => guards.admit(c, proven))
    return c.json(tokens, 200, NO_STORE)
  }

  const token = createRoute({
    method: 'post',
    path: '/partner/auth/token',
    ...{ tags: ['Partner'], ...byAnyone },
    security: [{}, { basic: [] }],
    operationId: 'getAccessToken',
    summary: 'Get access token for partner client',
    description: prose(
      'Exchanges client id and client secret for tokens. Send them in the body, or in the header `Authorization: Basic` with an empty body.',
      'Every login starts its own family of tokens. Tokens of earlier logins stay valid.',
      'After 10 failures in 5 minutes the client must wait, even with the right secret: 429 `42902`.',
    ),
    request: {
      body: {
        ...jsonRequest(loginDto, examples.getAccessToken.request).body,
        required: false,
        description: 'The credentials; empty when they are in the header.',
      },
    },
    responses: {
      200: json(tokensDto, 'The tokens.', examples.getAccessToken.answer, {
        'Cache-Control': header('NoStore'),
      }),
      ...errors(
        guards.anyoneWithBody.errors,
        examples.getAccessToken.errors,
        'MISSING_CREDENTIALS',
        'INVALID_CLIENT',
        'CLIENT_DISABLED',
        'CLIENT_ID_MISMATCH',
        'RATE_LIMITED',
        'TOO_MANY_LOGIN_FAILURES',
      ),
    },
  })
  // Registered apart from its handler, because the body is optional with HTTP Basic.
  app.openAPIRegistry.registerPath(token)
  app.post(
    '/partner/auth/token',
    checked(limitedBody),
    async (c, next) => {
      if ((await unbroken(() => c.req.arrayBuffer())).byteLength > 0) return next()
      const authorization = c.req.header('authorization')
      if (authorization === undefined) {
        // An empty body that has a Content-Type gets the error of an empty body.
        if (c.req.header('content-type') !== undefined) return next()
        throw new HubError('MISSING_CREDENTIALS')
      }
      const basic = readBasicCredentials(authorization)
      if (!basic) throw new HubError('INVALID_CLIENT')
      return answerLogin(c, basic)
    },
    checked(jsonBody),
    async (c) => answerLogin(c, validated(loginDto, await c.req.json())),
  )

  const refresh = createRoute({
    method: 'post',
    path: '/partner/auth/refresh',
    ...{ tags: ['Partner'], ...byAnyone, security: [], middleware: guards.anyoneWithBody.middleware },
    operationId: 'refreshAccessToken',
    summary: 'Refresh token',
    description: prose(
      'Exchanges a refresh token for a new access token and a new refresh token; keep the newest.',
      'The old refresh token works for 60 more seconds, or until the new one is first used, so that you can retry after a lost response. Using it later is treated as theft: it revokes all tokens of the login, 401 `40107`.',
      'All tokens of a login expire thirty days after it, however often you refresh.',
    ),
    request: jsonRequest(refreshDto, examples.refreshAccessToken.request),
    responses: {
      200: json(
        tokensDto,
        'New tokens; they replace the old refresh token.',
        examples.refreshAccessToken.answer,
        { 'Cache-Control': header('NoStore') },
      ),
      ...errors(
        guards.anyoneWithBody.errors,
        examples.refreshAccessToken.errors,
        'INVALID_REFRESH_TOKEN',
        'REFRESH_TOKEN_REUSED',
        'CLIENT_DISABLED',
        'CLIENT_ID_MISMATCH',
        'RATE_LIMITED',
      ),
    },
  })
  app.openapi(refresh, async (c) => {
    const tokens = await verbs.refresh(c.req.valid('json').refreshToken, (owner) => guards.admit(c, owner))
    return c.json(tokens, 200, NO_STORE)
  })
}
