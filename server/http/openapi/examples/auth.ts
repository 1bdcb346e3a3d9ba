import { example, story } from './story.ts'

const { clientId, clientSecret, accessToken, refreshToken } = story

const tokens = {
  accessToken,
  tokenType: 'Bearer' as const,
  expiresIn: 3600,
  refreshToken,
  refreshExpiresIn: 2_592_000,
}

/** Logging in and refreshing: requests, responses, and the `details` of errors. */
export const authExamples = {
  getAccessToken: {
    request: { credentials: example('Client id and secret in the body', { clientId, clientSecret }) },
    answer: { tokens: example('Access for an hour, refresh for thirty days', tokens) },
    errors: { VALIDATION_FAILED: { clientSecret: 'is required' } },
  },
  refreshAccessToken: {
    request: { refreshToken: example('The newest refresh token', { refreshToken }) },
    answer: { tokens: example('Both tokens are new', { ...tokens, refreshExpiresIn: 2_588_400 }) },
    errors: { VALIDATION_FAILED: { refreshToken: 'is required' } },
  },
}
