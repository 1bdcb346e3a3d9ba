import { describe, expect, it } from 'vitest'
import { rotateSecret, SECRET_OVERLAP_MS } from '../../../../server/partners/manage-partners.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { type Answer, createTestApi, stringAt, type TestApi, type TestPartner } from '../../../support/api.ts'

const TOKEN = '/api/v1/partner/auth/token'
const REFRESH = '/api/v1/partner/auth/refresh'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const logIn = (api: TestApi, { clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
  api.request('POST', TOKEN, { body: { clientId, clientSecret } })
const refresh = (api: TestApi, refreshToken: string) =>
  api.request('POST', REFRESH, { body: { refreshToken } })
const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const probe = (api: TestApi, token: string) =>
  api.request('GET', '/api/v1/partner/device/NONE-1', { token }).then((answer) => Object(answer.body).error)

async function world(): Promise<{ api: TestApi; partner: TestPartner }> {
  const api = createTestApi()
  return { api, partner: await api.partner() }
}

function expectTokens(answer: Answer, refreshExpiresIn: number) {
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    accessToken: expect.stringMatching(/^sba_[\w-]{43}$/),
    tokenType: 'Bearer',
    expiresIn: 3600,
    refreshToken: expect.stringMatching(/^sbr_[\w-]{43}$/),
    refreshExpiresIn,
  })
  expect(answer.headers.get('Cache-Control')).toBe('no-store')
}

function expectRefusal(answer: Answer, code: number, error: string) {
  expect(answer.body).toMatchObject({ code, error })
  expect(answer.status).toBe(Math.floor(code / 100))
  expect(answer.headers.has('WWW-Authenticate')).toBe(answer.status === 401)
}

describe('logging in', () => {
  it('gives access for an hour and refresh for thirty days, for credentials in the body', async () => {
    const { api, partner } = await world()
    expectTokens(await logIn(api, partner), 30 * 24 * 3600)
  })

  it.each([undefined, 'application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
    'accepts HTTP Basic with an empty body of type %s, as many clients send it',
    async (type) => {
      const { api, partner } = await world()
      const headers = basic(`${partner.clientId}:${partner.clientSecret}`)
      const sent =
        type === undefined ? { headers } : { headers: { ...headers, 'Content-Type': type }, body: '' }
      expectTokens(await api.request('POST', TOKEN, sent), 30 * 24 * 3600)
    },
  )

  it.each([
    ['a wrong secret', (p: TestPartner) => ({ clientId: p.clientId, clientSecret: 'sbs_wrong' })],
    ['an unknown client', (p: TestPartner) => ({ clientId: 'sbc_unknown', clientSecret: p.clientSecret })],
  ])('refuses %s with the same error', async (_, credentials) => {
    const { api, partner } = await world()
    const inBody = await logIn(api, credentials(partner))
    expectRefusal(inBody, 40103, 'INVALID_CLIENT')
    const { clientId, clientSecret } = credentials(partner)
    expectRefusal(
      await api.request('POST', TOKEN, { headers: basic(`${clientId}:${clientSecret}`) }),
      40103,
      'INVALID_CLIENT',
    )
  })

  it('takes either secret during a rotation, and the old one no longer after it', async () => {
    const { api, partner } = await world()
    const { clock, storage } = api
    const deps = { by: OPERATOR, partners: storage.partners, clock, ids: createRandomIds() }
    const rotated = await rotateSecret(deps, partner.clientId)
    const next = { ...partner, clientSecret: rotated?.clientSecret ?? '' }
    for (const either of [partner, next]) expect((await logIn(api, either)).status).toBe(200)
    await clock.wind(SECRET_OVERLAP_MS)
    expectRefusal(await logIn(api, partner), 40103, 'INVALID_CLIENT')
    expect((await logIn(api, next)).status).toBe(200)
  })

  it('answers that a client is disabled only after it has authenticated', async () => {
    const { api, partner } = await world()
    await api.storage.partners.disable(OPERATOR, partner.clientId, api.clock.now())
    expectRefusal(await logIn(api, partner), 40106, 'CLIENT_DISABLED')
    expectRefusal(await logIn(api, { ...partner, clientSecret: 'no' }), 40103, 'INVALID_CLIENT')
  })
})

describe('an access token', () => {
  it('works for an hour and no longer', async () => {
    const { api, partner } = await world()
    await api.clock.wind(HOUR_MS - 1)
    expect(await probe(api, partner.token)).toBe('DEVICE_NOT_FOUND')
    await api.clock.wind(1)
    const late = await partner.call('GET', '/device/NONE-1')
    expectRefusal(late, 40102, 'TOKEN_EXPIRED')
  })

  it('ends at once, with its refresh token, when its partner is disabled', async () => {
    const { api, partner } = await world()
    const refreshToken = stringAt(await logIn(api, partner), 'refreshToken')
    await api.storage.partners.disable(OPERATOR, partner.clientId, api.clock.now())
    expectRefusal(await partner.call('GET', '/device/NONE-1'), 40106, 'CLIENT_DISABLED')
    expectRefusal(await refresh(api, refreshToken), 40106, 'CLIENT_DISABLED')
  })

  it('stays refused when its partner is enabled again: it must log in', async () => {
    const { api, partner } = await world()
    const refreshToken = stringAt(await logIn(api, partner), 'refreshToken')
    await api.storage.partners.disable(OPERATOR, partner.clientId, api.clock.now())
    expect(await api.storage.partners.enable(OPERATOR, partner.clientId, api.clock.now())).toBe(true)
    expectRefusal(await partner.call('GET', '/device/NONE-1'), 40101, 'INVALID_TOKEN')
    expectRefusal(await refresh(api, refreshToken), 40107, 'REFRESH_TOKEN_REUSED')
    expect((await logIn(api, partner)).status).toBe(200)
  })

  it('stays valid when a partner that was not disabled is enabled', async () => {
    const { api, partner } = await world()
    expect(await api.storage.partners.enable(OPERATOR, partner.clientId, api.clock.now())).toBe(true)
    expect(await probe(api, partner.token)).toBe('DEVICE_NOT_FOUND')
    expect(await api.storage.partners.enable(OPERATOR, 'sbc_nobody', api.clock.now())).toBe(false)
  })

  it.each([
    ['no header', {}, 40100, 'MISSING_CREDENTIALS'],
    ['an unknown token', { Authorization: `Bearer sba_${'x'.repeat(43)}` }, 40101, 'INVALID_TOKEN'],
    ['another scheme', basic('a:b'), 40101, 'INVALID_TOKEN'],
  ] as const)('is asked for: %s', async (_, headers, code, error) => {
    const { api } = await world()
    const answer = await api.request('GET', '/api/v1/partner/device/NONE-1', { headers: { ...headers } })
    expectRefusal(answer, code, error)
    expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
  })

  it.each(['sba_1', 'Token sba_1', 'Bearer', 'Bearer a b'])(
    'is refused without its scheme: %s',
    async (text) => {
      const { api } = await world()
      const headers = { Authorization: text }
      expect(await api.request('GET', '/api/v1/partner/device/NONE-1', { headers })).toMatchObject({
        status: 401,
        body: {
          code: 40101,
          details: [{ field: 'Authorization', issue: expect.stringContaining('Bearer') }],
        },
      })
    },
  )

  it('cannot be replaced by a refresh token', async () => {
    const { api, partner } = await world()
    expect(await probe(api, stringAt(await logIn(api, partner), 'refreshToken'))).toBe('INVALID_TOKEN')
  })
})

describe('x-client-id', () => {
  it('may be absent or the client of the token, and nothing else', async () => {
    const { api, partner } = await world()
    const other = await api.partner('Other')
    const ask = (id: string) => partner.call('GET', '/device/NONE-1', undefined, { 'x-client-id': id })
    expect((await partner.call('GET', '/device/NONE-1')).status).toBe(404)
    expect((await ask(partner.clientId)).status).toBe(404)
    for (const id of [other.clientId, 'nobody', partner.clientId.toUpperCase()])
      expectRefusal(await ask(id), 40105, 'CLIENT_ID_MISMATCH')
  })

  it('is checked at logins and refreshes, too', async () => {
    const { api, partner } = await world()
    const other = await api.partner('Other')
    const { clientId, clientSecret } = partner
    const refreshToken = stringAt(await logIn(api, partner), 'refreshToken')
    const ask = (path: string, body: object, id: string) =>
      api.request('POST', `/api/v1/partner/auth/${path}`, { body, headers: { 'x-client-id': id } })
    for (const [path, body] of [
      ['token', { clientId, clientSecret }],
      ['refresh', { refreshToken }],
    ] as const) {
      expectRefusal(await ask(path, body, other.clientId), 40105, 'CLIENT_ID_MISMATCH')
      expect((await ask(path, body, clientId)).status).toBe(200)
    }
  })
})

describe('a refresh token', () => {
  it('is exchanged for a new pair of the same family, whose thirty days continue', async () => {
    const { api, partner } = await world()
    const first = await logIn(api, partner)
    await api.clock.wind(DAY_MS)
    const second = await refresh(api, stringAt(first, 'refreshToken'))
    expectTokens(second, 29 * 24 * 3600)
    expect(await probe(api, stringAt(second, 'accessToken'))).toBe('DEVICE_NOT_FOUND')
  })

  it('revokes its whole family when it is used after its minute', async () => {
    const { api, partner } = await world()
    const first = stringAt(await logIn(api, partner), 'refreshToken')
    const second = await refresh(api, first)
    await api.clock.wind(61_000)
    expectRefusal(await refresh(api, first), 40107, 'REFRESH_TOKEN_REUSED')
    expect(await probe(api, stringAt(second, 'accessToken'))).toBe('INVALID_TOKEN')
    expect((await refresh(api, stringAt(second, 'refreshToken'))).status).toBe(401)
  })

  it.each(['sbr_unknown', 'x'])('is refused when it is unknown (%s)', async (unknown) => {
    const { api } = await world()
    expectRefusal(await refresh(api, unknown), 40104, 'INVALID_REFRESH_TOKEN')
  })
})
