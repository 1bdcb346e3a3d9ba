import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestApi, REGISTRATION } from '../../support/api.ts'
import { CALLBACK } from '../../support/callback.ts'

const PATHS = [
  ...['/auth/token', '/auth/refresh', '/device/send-verification', '/device/register', '/device/unregister'],
  ...['/device/update-status', '/device/SB-0001', '/payment/dynamic-qr', '/payment/callback', '/store/x'],
  ...['/payment/transactions/FT0001', '/payment/transactions/', '/device/', '/%zz', '/device/%00'],
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
const KNOWN = Object.keys({
  ...CALLBACK,
  ...REGISTRATION,
  deviceSerial: 1,
  devices: 1,
  storeId: 1,
  checkSum: 1,
  qrcode: 1,
})

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('\ud800', '\u0000', 'SB-0001', '50000', ''),
)
const value = fc.oneof(
  text,
  fc.jsonValue(),
  fc.constantFrom(...Object.values({ ...CALLBACK, ...REGISTRATION })),
)
const object = fc.dictionary(fc.oneof(fc.constantFrom(...KNOWN), text), value)
const body = fc.oneof(
  object.map((it) => JSON.stringify(it)),
  object.map((it) => JSON.stringify({ ...REGISTRATION, ...CALLBACK, ...it })),
  fc.json(),
  text,
  fc.uint8Array({ maxLength: 200 }),
)
const headerText = fc.stringMatching(/^[\x21-\x7e]{0,40}$/)
const headers = fc.record(
  {
    'Content-Type': fc.oneof(
      fc.constantFrom('application/json', 'text/plain', 'application/json;charset=utf-8'),
      headerText,
    ),
    'x-client-id': headerText,
    'X-Request-Id': headerText,
    Authorization: fc.oneof(
      headerText,
      headerText.map((it) => `Bearer ${it}`),
      headerText.map((it) => `Basic ${it}`),
    ),
    'Content-Length': fc.constantFrom('0', '5', '99999', 'x'),
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'PUT'),
  },
  { requiredKeys: [] },
)

it('answers whatever is sent with less than 500, and every error in its one shape', async () => {
  const api = createTestApi()
  const partner = await api.partner()
  await partner.register(await api.device('SB-0001'))
  const request = fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(fc.constantFrom(...PATHS), fc.webPath()),
    trusted: fc.boolean(),
    headers,
    body,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, trusted, headers, body }) => {
      await api.clock.wind(20)
      const { Authorization, ...rest } = headers
      const answer = await api.request(method, `/api/v1/partner${path}`, {
        headers: { ...rest, ...(!trusted && Authorization !== undefined && { Authorization }) },
        ...(trusted && { token: partner.token }),
        ...(method !== 'GET' && method !== 'HEAD' && { body }),
      })
      expect(answer.status).toBeLessThan(500)
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[\w=-]{1,128}$/)
      if (answer.status < 400 || method === 'HEAD') return
      expect(answer.body).toEqual({
        code: expect.any(Number),
        error: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.any(String),
        requestId: answer.headers.get('X-Request-Id'),
        details: expect.any(Array),
      })
      expect(Math.floor(Object(answer.body).code / 100)).toBe(answer.status)
    }),
    { numRuns: 3_000 },
  )
})
