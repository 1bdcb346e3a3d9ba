import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { said } from '../http/openapi/schemas.ts'

/** The bodies of /partner/auth. */

const credentialsDto = z
  .object({
    clientId: field.credential.openapi({
      description: 'Your client id.',
      examples: [story.clientId],
    }),
    clientSecret: field.credential.openapi({
      description: 'Your client secret. During a rotation, the old one is accepted as well.',
      examples: [story.clientSecret],
      format: 'password',
    }),
  })
  .openapi('AuthTokenRequestDto', { description: 'The credentials of a client.' })

export const loginDto = credentialsDto
  .extend({})
  .openapi('PartnerAuthTokenRequestDto', { description: 'The credentials of a partner.' })

export const refreshDto = z
  .object({
    refreshToken: field.credential.openapi({
      description: 'The newest refresh token of its family.',
      examples: [story.refreshToken],
      format: 'password',
    }),
  })
  .openapi('PartnerAuthRefreshRequestDto', { description: 'The refresh token to exchange.' })

const seconds = (description: string, example: number) =>
  z.int().openapi({ description, examples: [example] })

const accessDto = z
  .object({
    accessToken: said('Send it as `Authorization: Bearer …`. Its content is opaque.', story.accessToken),
    tokenType: z.literal('Bearer').openapi({
      description: 'How the access token is sent.',
      examples: ['Bearer'],
    }),
    expiresIn: seconds('Seconds until the access token expires.', 3600),
  })
  .openapi('AuthTokenResponseDto', { description: 'An access token.' })

export const tokensDto = accessDto
  .extend({
    refreshToken: said(
      'Exchange it for new tokens before or after the access token has expired.',
      story.refreshToken,
    ),
    refreshExpiresIn: seconds(
      'Seconds until the refresh token and all its successors expire, counted from the login.',
      2_592_000,
    ),
  })
  .openapi('PartnerAuthTokenResponseDto', {
    description: 'An access token, and a refresh token to get the next one.',
  })
