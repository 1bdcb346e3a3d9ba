import { story } from './story.ts'

const tokens = {
  accessToken: story.accessToken,
  tokenType: 'Bearer' as const,
  expiresIn: 3600,
  refreshToken: story.refreshToken,
  refreshExpiresIn: 2_592_000,
}

/** Logging in and refreshing: requests, responses, and the `details` of errors. */
export const authExamples = {
  getAccessToken: {
    request: {
      credentials: {
        summary: 'Client id and secret in the body',
        value: { clientId: story.clientId, clientSecret: story.clientSecret },
      },
    },
    answer: { tokens: { summary: 'Access for an hour, refresh for thirty days', value: tokens } },
    errors: { VALIDATION_FAILED: [{ field: 'clientSecret', issue: 'is required' }] },
  },
  refreshAccessToken: {
    request: {
      refreshToken: { summary: 'The newest refresh token', value: { refreshToken: story.refreshToken } },
    },
    answer: { tokens: { summary: 'Both tokens are new', value: { ...tokens, refreshExpiresIn: 2_588_400 } } },
    errors: { VALIDATION_FAILED: [{ field: 'refreshToken', issue: 'is required' }] },
  },
}
