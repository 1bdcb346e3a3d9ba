import type { OpenAPIHono } from '@hono/zod-openapi'
import type { RequestRate } from '../../partners/request-limit.ts'
import type { HttpEnv } from '../response/env.ts'
import { HEADERS, PARAMETERS } from './components.ts'
import { describeHeaders } from './described-headers.ts'
import { errorDto } from './schemas.ts'

const description = ({ burst, perSecond }: RequestRate) => `
Register speakers that announce payments, show QR codes on their screens, and report payments to them.

**Authentication.** \`POST /api/v1/partner/auth/token\` exchanges your client id and client secret for an access
token, which lasts an hour, and a refresh token, which lasts thirty days. Send the access token with every other
request, as \`Authorization: Bearer …\`; it alone says who you are. The client secret is also the key that payment
callbacks are signed with.

**Values.** Bodies are JSON in UTF-8, amounts, totals, codes and phone numbers are strings. Lengths are counted in Unicode code points.
Control characters and ill-formed Unicode (lone surrogates) are refused. Unknown fields of a request are ignored.

**Errors.** Every error has the body \`ErrorResponsePayloadDto\`. Branch on \`code\`: it is the HTTP status and two
digits more, and each operation lists the ones that it answers. \`details\` names every field that is wrong, all at
once. A path that there is not answers 404 \`40400\`; a method that a path does not take answers 405 \`40500\` with the
header \`Allow\`. What belongs to another partner looks exactly like what does not exist. Two names have two codes, by
where the request names the thing: a device or store in the body that there is not is 400 (\`40013\`, \`40016\`), one in
the path is 404 (\`40401\`, \`40402\`).

**Checksum.** How a callback is signed stands at its operation; the calculator at [/docs/checksum](/docs/checksum) shows
where yours differs.

**Retries.** With the header \`Idempotency-Key\` sending a code, registering, unregistering and a dynamic QR can be sent
again: the same bytes under the same key are carried out once. Callbacks need no key.

**Limits.** A body has at most 16 KiB, the headers together 8 KiB. You may make ${burst} requests at once and ${perSecond} a second
on average (the headers \`RateLimit-Policy\` and \`RateLimit\` tell your quota and what is left), then the answer is
429 \`42900\`; the payment callback is never limited. After a 429 or 503 wait as long
as \`Retry-After\` says.

**Versioning.** The version is in the path. Within it operations, optional fields and error codes may be added, and
nothing is taken away: ignore fields that you don't know, and treat an unknown code by its HTTP status.
`

/** Everything that is not about one operation. */
const frame = (rate: RequestRate) => ({
  openapi: '3.1.1',
  info: {
    title: 'Soundbox Hub: partner API',
    version: '1',
    description: description(rate).trim(),
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'This hub.' }],
  tags: [
    {
      name: 'Partner',
      description: 'Tokens, the registration of speakers, QR codes for bills, and payments.',
    },
    { name: 'Partner Store', description: 'What is known of a store.' },
  ],
})

/** The API's description as OpenAPI, of all routes that the app has by now. */
export function describeApi(app: OpenAPIHono<HttpEnv>, rate: RequestRate): object {
  const { openAPIRegistry: registry } = app
  registry.register('ErrorResponsePayloadDto', errorDto)
  for (const [name, parameter] of Object.entries(PARAMETERS))
    registry.registerComponent('parameters', name, parameter)
  for (const [name, header] of Object.entries(HEADERS)) registry.registerComponent('headers', name, header)
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of `POST /api/v1/partner/auth/token`.',
  })
  registry.registerComponent('securitySchemes', 'basic', {
    type: 'http',
    scheme: 'basic',
    description: 'Client id and client secret, for a request with an empty body.',
  })
  return describeHeaders(app.getOpenAPI31Document(frame(rate)))
}
