import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { said, shown, whole } from '../http/openapi/schemas.ts'

/** The bodies of /partner/auth. */

const secret = (description: string, example: string) =>
  field.credential.openapi({ description, examples: [example], format: 'password' })

const clientDto = z
  .object({ clientId: field.credential.openapi(shown('Your client id.', story.clientId)) })
  .openapi('AuthTokenRequestDto', { description: 'The client that asks for a token.' })

// Each schema has a property of its own: client generators turn an empty member of `allOf` into a type without values.
export const loginDto = clientDto
  .extend({
    clientSecret: secret(
      'Your client secret. During a rotation, the old one is accepted as well.',
      story.clientSecret,
    ),
  })
  .openapi('PartnerAuthTokenRequestDto', { description: 'The credentials of a partner.' })

export const refreshDto = z
  .object({
    refreshToken: secret('The newest refresh token of its family.', story.refreshToken),
  })
  .openapi('PartnerAuthRefreshRequestDto', { description: 'The refresh token to exchange.' })

const accessDto = z
  .object({
    accessToken: said('Send it as `Authorization: Bearer …`. Its content is opaque.', story.accessToken),
    tokenType: z.literal('Bearer').openapi(shown('How the access token is sent.', 'Bearer')),
    expiresIn: whole('Seconds until the access token expires.', 3600),
  })
  .openapi('AuthTokenResponseDto', { description: 'An access token.' })

export const tokensDto = accessDto
  .extend({
    refreshToken: said(
      'Exchange it for new tokens before or after the access token has expired.',
      story.refreshToken,
    ),
    refreshExpiresIn: whole(
      'Seconds until the refresh token and all its successors expire, counted from the login.',
      2_592_000,
    ),
  })
  .openapi('PartnerAuthTokenResponseDto', {
    description: 'An access token, and a refresh token to get the next one.',
  })
