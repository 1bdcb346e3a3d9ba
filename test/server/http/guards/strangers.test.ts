import { describe, expect, it } from 'vitest'
import type { KnownRequests } from '../../../../server/http/guards/limits.ts'
import { createTestApi, type TestPartner } from '../../../support/api.ts'

const BASE = '/api/v1/partner'
const DEVICE = `${BASE}/device/NONE-1`

interface Sent {
  method?: string
  from?: string
  body?: unknown
  headers?: Record<string, string>
}

async function world() {
  const events: unknown[] = []
  const connections: KnownRequests = {
    belongsTo: (_incoming, clientId) => void events.push({ belongsTo: clientId }),
    rests: () => undefined,
    holdOff: (_incoming, seconds) => void events.push({ holdOff: seconds }),
    isFinishing: () => false,
  }
  const api = createTestApi({ connections })
  const partner = await api.partner()
  await api.clock.wind(60_000)

  /** Sends a request as from this address, and answers with the status and the error's code. */
  async function send(path: string, { method = 'GET', from = '192.0.2.1', body, headers = {} }: Sent = {}) {
    const request = new Request(`http://hub${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const incoming = { socket: { remoteAddress: from }, headers }
    const { status, headers: answered } = await api.fetch(request, { incoming })
    return { status, retryAfter: answered.get('retry-after') }
  }
  const many = async (count: number, path: string, sent?: Sent) => {
    const answers = await Promise.all(Array.from({ length: count }, () => send(path, sent)))
    return answers.filter(({ status }) => status === 429).length
  }
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const login = ({ clientId }: TestPartner, clientSecret: string): Sent => ({
    method: 'POST',
    body: { clientId, clientSecret },
  })
  return { api, partner, send, many, bearer, login, events }
}

describe('requests without a good token', () => {
  it('may be 100 at once from a network, then 20 a second', async () => {
    const { api, many, send } = await world()
    expect(await many(101, '/healthz')).toBe(1)
    expect(await send('/healthz')).toEqual({ status: 429, retryAfter: '1' })
    await api.clock.wind(1_000)
    expect(await many(25, '/healthz')).toBe(5)
    expect(await many(100, '/healthz', { from: '192.0.2.2' })).toBe(0)
  })

  it('count by the /64 of an IPv6 address', async () => {
    const { many } = await world()
    expect(await many(100, '/healthz', { from: '2001:db8:0:1::1' })).toBe(0)
    expect(await many(1, '/healthz', { from: '2001:db8:0:1:ffff::2' })).toBe(1)
    expect(await many(1, '/healthz', { from: '2001:db8:0:2::1' })).toBe(0)
  })

  it.each([
    { path: '/' },
    { path: '/healthz' },
    { path: '/readyz' },
    { path: '/metrics' },
    { path: '/openapi.json' },
    { path: '/docs' },
    { path: '/docs/assets/docs.css' },
    { path: '/nothing/here' },
    { path: '/api/v1/nothing/here' },
    { path: '/healthz', method: 'DELETE' },
    { path: `${BASE}/payment/callback`, method: 'GET' },
    { path: DEVICE },
    { path: DEVICE, headers: { authorization: 'Bearer sba_unknown' } },
    { path: DEVICE, headers: { authorization: 'Basic x' } },
    { path: '/healthz', headers: { authorization: 'Bearer sba_unknown' } },
    { path: `${BASE}/payment/callback`, method: 'POST', body: {}, headers: { authorization: 'Bearer x' } },
    { path: `${BASE}/auth/token`, method: 'POST', body: { clientId: 'sbc_1', clientSecret: 'no' } },
    { path: `${BASE}/auth/token`, method: 'POST', body: '{' },
    { path: `${BASE}/auth/token`, method: 'POST', body: {} },
    { path: `${BASE}/auth/token`, method: 'POST', headers: { authorization: 'Basic x' } },
    { path: `${BASE}/auth/refresh`, method: 'POST', body: { refreshToken: 'sbr_unknown' } },
    { path: `${BASE}/auth/refresh`, method: 'POST', body: [] },
  ])('all count: $method $path $headers', async ({ path, ...sent }) => {
    const { many } = await world()
    expect(await many(1, path, sent)).toBe(0)
    expect(await many(100, '/healthz')).toBe(1)
    expect(await many(1, path, sent)).toBe(1)
  })

  it('are refused before their body is read', async () => {
    const { many, api } = await world()
    await many(100, '/healthz')
    const body = new ReadableStream(
      {
        pull: () => {
          throw new Error('the body was read')
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request(`http://hub${BASE}/payment/callback`, {
      ...{ method: 'POST', body, duplex: 'half' },
      headers: { authorization: 'Bearer sba_unknown', 'content-type': 'application/json' },
    })
    const env = { incoming: { socket: { remoteAddress: '192.0.2.1' }, headers: {} } }
    expect((await api.fetch(request, env)).status).toBe(429)
  })
})

describe('a network that has used up its requests', () => {
  it('is still open to everything of a partner: token, login, refresh', async () => {
    const { api, partner, send, many, bearer, login } = await world()
    const { refreshToken } = Object(
      (await api.request('POST', `${BASE}/auth/token`, { body: { ...partner } })).body,
    )
    expect(await many(101, '/healthz')).toBe(1)
    expect(await many(50, DEVICE, bearer(partner.token))).toBe(0)
    expect(await send('/openapi.json', bearer(partner.token))).toMatchObject({ status: 200 })
    expect(await send(`${BASE}/auth/token`, login(partner, partner.clientSecret))).toMatchObject({
      status: 200,
    })
    const refresh = { method: 'POST', body: { refreshToken } }
    expect(await send(`${BASE}/auth/refresh`, refresh)).toMatchObject({ status: 200 })
    expect(await send(`${BASE}/auth/token`, login(partner, 'no'))).toMatchObject({ status: 429 })
  })

  it('loses nothing by the requests of a partner, which count for the partner wherever they go', async () => {
    const { api, partner, many, bearer } = await world()
    expect(await many(200, '/nothing', bearer(partner.token))).toBe(0)
    expect(await many(1, '/nothing', bearer(partner.token))).toBe(1)
    expect(await many(100, '/healthz')).toBe(0)
    await api.clock.wind(60_000)
    expect(await many(150, DEVICE, bearer(partner.token))).toBe(0)
    expect(await many(100, '/healthz')).toBe(0)
  })

  it('is told to the connections with the time to wait; so is the partner of a good token', async () => {
    const { partner, many, send, bearer, login, events } = await world()
    await many(102, '/healthz')
    expect(events).toEqual([{ holdOff: 1 }, { holdOff: 1 }])
    await send(DEVICE, bearer(partner.token))
    await send(`${BASE}/auth/token`, login(partner, partner.clientSecret))
    expect(events.slice(2)).toEqual([{ belongsTo: partner.clientId }, { belongsTo: partner.clientId }])
  })
})

it('a right secret is never refused because of wrong ones, from the same network or another', async () => {
  const { partner, send, many, login } = await world()
  expect(await many(30, `${BASE}/auth/token`, login(partner, 'no'))).toBe(20)
  expect(await send(`${BASE}/auth/token`, login(partner, partner.clientSecret))).toMatchObject({
    status: 200,
  })
  const elsewhere = { ...login(partner, 'no'), from: '192.0.2.2' }
  expect(await send(`${BASE}/auth/token`, elsewhere)).toMatchObject({ status: 401 })
})

it('an unknown refresh token causes no write', async () => {
  const { api, send } = await world()
  const rotate = api.storage.tokens.rotate
  let writes = 0
  api.storage.tokens.rotate = (...args) => {
    writes += 1
    return rotate(...args)
  }
  const refresh = { method: 'POST', body: { refreshToken: 'sbr_unknown' } }
  expect(await send(`${BASE}/auth/refresh`, refresh)).toMatchObject({ status: 401 })
  expect(writes).toBe(0)
})
