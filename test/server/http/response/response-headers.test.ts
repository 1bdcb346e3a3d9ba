import { expect, it } from 'vitest'
import { type Answer, createTestApi, createTestShop } from '../../../support/api.ts'
import { signedCallback } from '../../../support/callback.ts'
import { settle } from '../../../support/clock.ts'

const BASE = '/api/v1/partner'
const ORIGIN = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }

/** A response of every kind: successes, errors, pages, unknown methods. */
async function answers(): Promise<[string, Answer][]> {
  const { api, partner, storeId } = await createTestShop()
  const { token, clientId, clientSecret } = partner
  const all: [string, Answer][] = []
  const ask = async (method: string, path: string, options: Parameters<typeof api.request>[2] = {}) => {
    const headers = { ...ORIGIN, ...options.headers }
    all.push([`${method} ${path}`, await api.request(method, path, { ...options, headers })])
  }
  const body = (value: unknown) => ({ token, body: value })

  await ask('POST', `${BASE}/auth/token`, { body: { clientId, clientSecret } })
  await ask('POST', `${BASE}/auth/token`, { body: { clientId, clientSecret: 'no' } })
  await ask('POST', `${BASE}/auth/refresh`, { body: { refreshToken: 'no' } })
  await ask('POST', `${BASE}/device/send-verification`, body({ deviceSerial: 'SB-0001' }))
  await ask('POST', `${BASE}/device/register`, body('{'))
  await ask('PATCH', `${BASE}/device/update-status`, body({ devices: [] }))
  await ask('GET', `${BASE}/device/SB-0001`, { token })
  await ask('HEAD', `${BASE}/device/SB-0001`, { token })
  await ask('GET', `${BASE}/device/NONE-1`, { token })
  await ask('GET', `${BASE}/device/SB-0001`)
  await ask('PUT', `${BASE}/store/${storeId}`, body({ storeName: 'x' }))
  await ask('POST', `${BASE}/payment/callback`, body(signedCallback(clientSecret)))
  await ask('GET', `${BASE}/payment/transactions/FT0001`, { token })
  await ask('POST', `${BASE}/device/unregister`, {
    ...body({ deviceSerial: 'SB-0001' }),
    headers: { 'Idempotency-Key': 'k' },
  })
  await ask('POST', `${BASE}/device/unregister`, {
    ...body({ deviceSerial: 'SB-0001' }),
    headers: { 'Idempotency-Key': 'k' },
  })
  for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs', '/', '/nowhere'])
    await ask('GET', path)
  for (const path of [`${BASE}/device/register`, `${BASE}/auth/token`, '/healthz', '/nowhere'])
    for (const method of ['OPTIONS', 'PUT', 'DELETE']) await ask(method, path)
  // The device's acks must arrive before the storage is closed.
  await settle()
  await api.storage.close()
  await ask('GET', `${BASE}/device/SB-0001`, { token })
  return all
}

it('every response stops browsers from sniffing, framing and sharing it, and reveals nothing about the server', async () => {
  const all = await answers()
  expect(new Set(all.map(([, { status }]) => status))).toEqual(new Set([200, 302, 400, 401, 404, 405, 503]))
  for (const [name, { headers }] of all) {
    expect(Object.fromEntries(headers), name).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': expect.stringMatching(/^[\w=-]{1,128}$/),
    })
    for (const told of ['server', 'x-powered-by', 'strict-transport-security', 'set-cookie'])
      expect(headers.has(told), `${name} ${told}`).toBe(false)
    expect(
      [...headers.keys()].filter((header) => header.startsWith('access-control-')),
      name,
    ).toEqual([])
  }
})

it("no response may be stored, except the documentation's own files", async () => {
  const api = createTestApi()
  for (const [name, { headers }] of await answers())
    expect(headers.get('cache-control'), name).toBe(/\/(docs|openapi)/.test(name) ? 'no-cache' : 'no-store')
  const asset = await api.request('GET', '/docs/assets/swagger-ui.css')
  expect(asset.headers.get('cache-control')).toBe('no-cache')
})

it('every page is cut off from the window that has opened it', async () => {
  const api = createTestApi()
  for (const path of ['/speaker', '/docs', '/docs/quickstart', '/docs/checksum', '/docs/webhooks']) {
    const { headers } = await api.request('GET', path)
    expect([path, headers.get('content-type')]).toEqual([path, expect.stringContaining('text/html')])
    expect([path, headers.get('cross-origin-opener-policy')]).toEqual([path, 'same-origin'])
  }
})

it('an accepted callback has the same headers as a refused one, although another function sets them', async () => {
  const { api, partner } = await createTestShop()
  const headers = { 'X-Request-Id': 'mine-1' }
  const report = (changes: object) =>
    api.request('POST', `${BASE}/payment/callback`, {
      ...{ token: partner.token, headers },
      body: { ...signedCallback(partner.clientSecret), ...changes },
    })
  const [accepted, refused] = [await report({}), await report({ checkSum: 'no' })]
  expect([accepted.status, refused.status]).toEqual([200, 400])
  // Only a refused one counts, and shows the quota.
  const same = [...refused.headers].filter(([name]) => !name.startsWith('ratelimit'))
  expect([...accepted.headers]).toEqual(same)
})
