import type { OpenAPIHono } from '@hono/zod-openapi'
import { HEADERS, PARAMETERS } from '../http/openapi/components.ts'
import { errorDto } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import type { BucketSize } from '../platform/token-buckets.ts'

interface Rate {
  readonly rate: BucketSize
}

interface Rates {
  requestLimit: Rate
  anonymousLimit: Rate
}

const description = ({ requestLimit: { rate: known }, anonymousLimit: { rate: anonymous } }: Rates) => `
Register speakers that announce payments, show QR codes on their screens, and report payments to them.

**Authentication.** \`POST /api/v1/partner/auth/token\` exchanges your client id and client secret for an access
token, valid for an hour, and a refresh token, valid for thirty days. Send the access token with every other
request, as \`Authorization: Bearer …\`; it alone identifies you. The client secret is also the key that signs payment
callbacks.

**Values.** Bodies are JSON in UTF-8. Amounts, totals, codes and phone numbers are strings. Lengths are counted in Unicode
code points. Control characters and ill-formed Unicode (lone surrogates) are refused. Unknown fields of a request are
ignored.

**Errors.** Every error has the body \`ErrorResponsePayloadDto\`. Branch on \`code\`: it is the HTTP status and two
more digits, and each operation lists its codes. \`details\` names all wrong fields at once. An unknown path is
404 \`40400\`; a method that a path does not take is 405 \`40500\` with the header \`Allow\`. An object of another partner
gets the same answer as an object that does not exist. Two errors have two codes each: an unknown device or store in the
body is 400 (\`40013\`, \`40016\`), in the path it is 404 (\`40401\`, \`40402\`).

**Checksum.** The operation of the callback describes how to sign it; the calculator at [/docs/checksum](/docs/checksum)
shows where your string differs. The checker at [/docs/webhooks](/docs/webhooks) says why a webhook does not verify.

**Retries.** With the header \`Idempotency-Key\` you can safely repeat sending a code, registering, unregistering, a
dynamic QR, creating a webhook, rotating its secret and sending events again: the same bytes under the same key are
processed once. Callbacks need no key.

**Limits.** A body has at most 16 KiB, the headers together 8 KiB. You may send ${known.burst} requests at once and ${known.perSecond} a
second on average; the headers \`RateLimit-Policy\` and \`RateLimit\` show your quota and its rest. Beyond it, requests get
429 \`42900\`. A payment callback that is accepted, or that repeats one, is never limited and uses no quota; a refused one
counts. Requests without a valid token or secret count for the network that they come from: ${anonymous.burst} at once and
${anonymous.perSecond} a second. After a 429 or 503, wait for the seconds in \`Retry-After\`.

**Versioning.** The version is in the path. Within a version, operations, optional fields and error codes may be added, and
nothing is removed: ignore unknown fields, and treat an unknown code by its HTTP status.
`

/** The parts of the document that belong to no operation. */
const frame = (rates: Rates) => ({
  openapi: '3.1.1',
  info: {
    title: 'Soundbox Hub: partner API',
    version: '1',
    description: description(rates).trim(),
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'This hub.' }],
  tags: [
    {
      name: 'Partner',
      description: 'Tokens, the registration of speakers, QR codes for bills, and payments.',
    },
    { name: 'Partner Store', description: 'The data of a store.' },
    { name: 'Partner Event', description: 'What has happened, to be read in order.' },
    { name: 'Partner Statement', description: "The day against the bank's statement." },
    { name: 'Partner Webhook', description: 'What has happened, sent to an address of yours.' },
  ],
})

/** The OpenAPI document of all routes that are registered so far. */
export function describeApi(app: OpenAPIHono<HttpEnv>, rates: Rates): object {
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
  return app.getOpenAPI31Document(frame(rates))
}
