import { html } from '../parts/html.ts'
import type { Step } from './step.ts'

export const token: Step = {
  name: 'token',
  sample: 'get_token',
  title: 'Get an access token',
  path: '/api/v1/partner/auth/token',
  text: html`<p>Exchange your client id and client secret for an access token. It identifies you in every other request for an hour; the refresh token gets the next one without the secret. Do this on your server: the secret also signs payments, so keep it out of apps and browsers.</p>`,
  status: 200,
  answer: {
    accessToken: '{{TOKEN}}',
    tokenType: 'Bearer',
    expiresIn: 3600,
    refreshToken: 'sbr_pXq0Zr3kUu0mJ1l0rJt2uYw4C8bC5nN7d6hVq9sKf2E',
    refreshExpiresIn: 2592000,
  },
  refusals: {
    INVALID_CLIENT: html`Compare both with the output of <code>partner create</code>. The secret is shown once; if it is lost, <code>npm run -s hub -- partner rotate-secret CLIENT_ID</code> creates a new one.`,
    TOO_MANY_LOGIN_FAILURES: html`Ten failed logins in five minutes. Wait as many seconds as the header <code>Retry-After</code> says; then even the right secret works again.`,
    UNSUPPORTED_MEDIA_TYPE: html`Send <code>Content-Type: application/json</code>. By default, curl sends a form.`,
  },
  next: html`Copy <code>accessToken</code> into <a href="#values">your values</a>.`,
}
