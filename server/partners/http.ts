import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { HubError } from '../errors.ts'
import { jsonBody, limitedBody } from '../http/body.ts'
import type { HttpEnv } from '../http/env.ts'
import { errors } from '../http/error-responses.ts'
import * as field from '../http/fields.ts'
import type { Guards } from '../http/guards.ts'
import { json, jsonRequest } from '../http/schemas.ts'
import { validationError } from '../http/validation.ts'
import { readBasicCredentials } from './basic-credentials.ts'
import type { IssuedTokens } from './tokens.ts'

const loginDto = z
  .object({ clientId: field.credential, clientSecret: field.credential })
  .openapi('PartnerAuthTokenRequestDto')

const refreshDto = z.object({ refreshToken: field.credential }).openapi('PartnerAuthRefreshRequestDto')

const tokensDto = z
  .object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().openapi({ example: 3600, description: 'Seconds.' }),
    refreshToken: z.string(),
    refreshExpiresIn: z.int().openapi({ description: 'Seconds.' }),
  })
  .openapi('PartnerAuthTokenResponseDto')

export interface PartnerVerbs {
  logIn: (clientId: string, clientSecret: string) => Promise<IssuedTokens>
  refresh: (refreshToken: string) => Promise<IssuedTokens>
}

/** POST /partner/auth/token and /partner/auth/refresh */
export function partnerRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PartnerVerbs) {
  const token = createRoute({
    method: 'post',
    path: '/partner/auth/token',
    tags: ['Partner'],
    summary: 'Get access token for partner client',
    description: 'Credentials in the body, or as HTTP Basic with an empty body.',
    security: [],
    request: { body: { content: { 'application/json': { schema: loginDto } } } },
    responses: {
      200: json(tokensDto, 'The tokens.'),
      ...errors(
        guards.anyoneWithBody.errors,
        'MISSING_CREDENTIALS',
        'INVALID_CLIENT',
        'CLIENT_DISABLED',
        'TOO_MANY_LOGIN_FAILURES',
      ),
    },
  })
  // Registered apart from its handler: a body is needed only without HTTP Basic.
  app.openAPIRegistry.registerPath(token)
  app.post(
    '/partner/auth/token',
    limitedBody,
    async (c, next) => {
      const header = c.req.header('authorization')
      const hasBody = c.req.header('content-type') !== undefined || (await c.req.arrayBuffer()).byteLength > 0
      if (hasBody) return next()
      if (header === undefined) throw new HubError('MISSING_CREDENTIALS')
      const basic = readBasicCredentials(header)
      if (!basic) throw new HubError('INVALID_CLIENT')
      c.header('Cache-Control', 'no-store')
      return c.json(await verbs.logIn(basic.clientId, basic.clientSecret), 200)
    },
    jsonBody,
    async (c) => {
      const parsed = loginDto.safeParse(await c.req.json())
      if (!parsed.success) throw validationError(parsed.error)
      c.header('Cache-Control', 'no-store')
      return c.json(await verbs.logIn(parsed.data.clientId, parsed.data.clientSecret), 200)
    },
  )

  const refresh = createRoute({
    method: 'post',
    path: '/partner/auth/refresh',
    tags: ['Partner'],
    summary: 'Refresh token',
    security: [],
    middleware: guards.anyoneWithBody.middleware,
    request: jsonRequest(refreshDto),
    responses: {
      200: json(tokensDto, 'New tokens; the old refresh token ends.'),
      ...errors(
        guards.anyoneWithBody.errors,
        'INVALID_REFRESH_TOKEN',
        'REFRESH_TOKEN_REUSED',
        'CLIENT_DISABLED',
      ),
    },
  })
  app.openapi(refresh, async (c) => {
    const tokens = await verbs.refresh(c.req.valid('json').refreshToken)
    return c.json(tokens, 200, { 'Cache-Control': 'no-store' })
  })
}
