import { describe, expect, it } from 'vitest'
import { type Answer, createTestApi, stringAt, type TestApi, type TestPartner } from '../../../support/api.ts'
import { signedCallback } from '../../../support/callback.ts'

const asks = (partner: TestPartner, times: number) =>
  Promise.all(Array.from({ length: times }, () => partner.call('GET', '/device/NONE-1')))
const refused = (answers: { status: number }[]) => answers.filter((answer) => answer.status === 429).length
const limits = ({ headers }: Answer) => [headers.get('RateLimit-Policy'), headers.get('RateLimit')]

const logIn = (api: TestApi, clientId: string, clientSecret: string) =>
  api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } })
const refresh = (api: TestApi, refreshToken: string) =>
  api.request('POST', '/api/v1/partner/auth/refresh', { body: { refreshToken } })

async function world(rate?: { perSecond: number; burst: number }) {
  const api = createTestApi(rate && { rate })
  const partner = await api.partner()
  // Its login counts.
  await api.clock.wind(60_000)
  return { api, partner }
}

describe('a partner', () => {
  it('has the configured limit', async () => {
    const { api, partner } = await world({ perSecond: 0.1, burst: 3 })
    expect(refused(await asks(partner, 5))).toBe(2)
    await api.clock.wind(4_000)
    const [early] = await asks(partner, 1)
    expect(early?.status).toBe(429)
    expect(early?.headers.get('Retry-After')).toBe('6')
    await api.clock.wind(6_000)
    expect(refused(await asks(partner, 2))).toBe(1)
  })
})

describe('a callback that is accepted or repeated', () => {
  it('is never limited, and has no rate limit headers', async () => {
    const { api, partner } = await world()
    await partner.register(await api.device('SB-0001'))
    expect(refused(await asks(partner, 300))).toBeGreaterThan(0)
    const paid = await Promise.all(Array.from({ length: 300 }, (_, i) => partner.pay({ ftCode: `FT${i}` })))
    expect(paid.every((answer) => answer.status === 200)).toBe(true)
    expect(paid[0] && limits(paid[0])).toEqual([null, null])
  })

  it('does not use up the quota of other requests', async () => {
    const { api, partner } = await world()
    await partner.register(await api.device('SB-0001'))
    await api.clock.wind(60_000)
    await Promise.all(Array.from({ length: 300 }, () => partner.pay()))
    expect(refused(await asks(partner, 200))).toBe(0)
  })
})

describe('a callback that is refused', () => {
  const WRONG = { checkSum: '0'.repeat(64) }
  const report = (partner: TestPartner, changes: object) =>
    partner.call('POST', '/payment/callback', { ...signedCallback(partner.clientSecret), ...changes })

  it.each([
    { why: 'a wrong checksum', code: 40014, refuse: (partner: TestPartner) => report(partner, WRONG) },
    {
      why: 'a bad field',
      code: 40001,
      refuse: (partner: TestPartner) => report(partner, { payDate: 'now' }),
    },
    {
      why: 'an unknown till',
      code: 40016,
      refuse: (partner: TestPartner) => partner.pay({ terminalID: 'T9' }),
    },
    {
      why: 'other content',
      code: 40018,
      refuse: (partner: TestPartner) => partner.pay({ transactionAmount: '1' }),
    },
  ])(
    'for $why uses the quota, and is refused unread beyond it; money is still taken',
    async ({ code, refuse }) => {
      const { api, partner } = await world({ perSecond: 1, burst: 3 })
      await partner.register(await api.device('SB-0001'))
      await partner.pay()
      await api.clock.wind(60_000)
      const first = await refuse(partner)
      expect(first).toMatchObject({ status: 400, body: { code } })
      expect(limits(first)).toEqual(['"partner";q=3;w=3', '"partner";r=2;t=1'])
      await asks(partner, 2)
      const beyond = await refuse(partner)
      expect(beyond).toMatchObject({ status: 429, body: { code: 42900, details: [] } })
      expect(beyond.headers.get('Retry-After')).toBe('1')
      expect((await partner.pay()).status).toBe(200)
      expect((await partner.pay({ ftCode: 'FT-NEW' })).status).toBe(200)
      await api.clock.wind(1_000)
      expect(await refuse(partner)).toMatchObject({ body: { code } })
    },
  )
})

describe('the headers RateLimit and RateLimit-Policy', () => {
  it('are on every response, also on errors', async () => {
    const { api, partner } = await world({ perSecond: 1, burst: 4 })
    const policy = '"partner";q=4;w=4'
    expect(limits(await partner.call('GET', '/device/NONE-1'))).toEqual([policy, '"partner";r=3;t=1'])
    const send = (body: unknown) => partner.call('POST', '/device/send-verification', body)
    expect(limits(await send('{'))).toEqual([policy, '"partner";r=2;t=1'])
    expect(limits(await send({}))).toEqual([policy, '"partner";r=1;t=1'])
    await asks(partner, 1)
    const [answer] = await asks(partner, 1)
    expect(answer?.status).toBe(429)
    expect(answer && limits(answer)).toEqual([policy, '"partner";r=0;t=1'])
    await api.clock.wind(60_000)
    expect(limits(await partner.call('GET', '/device/NONE-1'))).toEqual([policy, '"partner";r=3;t=1'])
  })

  it('never announce a later time than Retry-After', async () => {
    const { partner } = await world({ perSecond: 0.3, burst: 2 })
    const answer = (await asks(partner, 3)).find(({ status }) => status === 429)
    expect(answer?.headers.get('Retry-After')).toBe('4')
    expect(answer && limits(answer)).toEqual(['"partner";q=2;w=7', '"partner";r=0;t=4'])
  })

  it('are absent for a caller that is not authenticated', async () => {
    const { api, partner } = await world()
    const anonymous = await api.request('GET', '/api/v1/partner/device/NONE-1', { token: 'sba_unknown' })
    expect(limits(anonymous)).toEqual([null, null])
    expect(limits(await logIn(api, partner.clientId, 'wrong'))).toEqual([null, null])
    expect(limits(await refresh(api, 'sbr_unknown'))).toEqual([null, null])
  })
})

describe('logins and refreshes', () => {
  it('count like every other request of the partner, and show the quota', async () => {
    const { api, partner } = await world()
    const login = await logIn(api, partner.clientId, partner.clientSecret)
    expect(limits(login)[1]).toBe('"partner";r=199;t=1')
    const renewed = await refresh(api, stringAt(login, 'refreshToken'))
    expect(limits(renewed)[1]).toBe('"partner";r=198;t=1')
    expect(limits(await partner.call('GET', '/device/NONE-1'))[1]).toBe('"partner";r=197;t=1')
  })

  it('are refused above the limit, and create or use up no token', async () => {
    const { api, partner } = await world({ perSecond: 1, burst: 2 })
    const login = await logIn(api, partner.clientId, partner.clientSecret)
    const token = stringAt(login, 'refreshToken')
    await asks(partner, 1)
    for (const answer of [
      await logIn(api, partner.clientId, partner.clientSecret),
      await refresh(api, token),
    ]) {
      expect(answer).toMatchObject({ status: 429, body: { code: 42900 } })
      expect(answer.headers.get('Retry-After')).toBe('1')
    }
    // A token that was used up works for a minute more.
    await api.clock.wind(61_000)
    expect((await refresh(api, token)).status).toBe(200)
  })

  it("count only when authenticated: a flood under a partner's name does not use up its quota", async () => {
    const { api, partner } = await world()
    const other = await api.partner('Other')
    const dead = stringAt(await logIn(api, other.clientId, other.clientSecret), 'refreshToken')
    await refresh(api, dead)
    await api.clock.wind(61_000)
    await Promise.all(Array.from({ length: 300 }, () => logIn(api, partner.clientId, 'guess')))
    await Promise.all(Array.from({ length: 300 }, () => refresh(api, dead)))
    expect(refused(await asks(partner, 200))).toBe(0)
    expect(refused(await asks(other, 200))).toBe(0)
  })
})

describe('the throttle of failed logins', () => {
  const basic = (clientId: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  })
  const byBasic = (api: TestApi, clientId: string, secret: string) =>
    api.request('POST', '/api/v1/partner/auth/token', { headers: basic(clientId, secret) })

  it('counts HTTP Basic and body together, and ends', async () => {
    const { api, partner } = await world()
    const { clientId, clientSecret } = partner
    for (let i = 0; i < 5; i += 1) {
      expect((await logIn(api, clientId, 'no')).status).toBe(401)
      expect((await byBasic(api, clientId, 'no')).status).toBe(401)
    }
    for (const answer of [await logIn(api, clientId, 'no'), await byBasic(api, clientId, 'no')]) {
      expect(answer).toMatchObject({ status: 429, body: { code: 42902, error: 'TOO_MANY_LOGIN_FAILURES' } })
      expect(answer.headers.get('Retry-After')).toBe('300')
    }
    expect((await logIn(api, clientId, clientSecret)).status).toBe(200)
    expect((await byBasic(api, clientId, clientSecret)).status).toBe(200)
    await api.clock.wind(300_000)
    expect((await byBasic(api, clientId, 'no')).status).toBe(401)
  })

  it('treats an unknown client like a wrong secret', async () => {
    const { api, partner } = await world()
    const looks = ({ status, headers, body }: Answer) => ({
      ...{ status, body: { ...Object(body), requestId: '' } },
      headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    })
    for (let i = 0; i < 12; i += 1)
      expect(looks(await logIn(api, 'sbc_nobody', 'no'))).toEqual(
        looks(await logIn(api, partner.clientId, 'no')),
      )
    expect(await logIn(api, 'sbc_nobody', 'no')).toMatchObject({ body: { code: 42902 } })
  })

  it('counts no texts that cannot be client ids', async () => {
    const { api } = await world()
    const long = 'x'.repeat(513)
    for (let i = 0; i < 12; i += 1)
      expect(await byBasic(api, long, 'no')).toMatchObject({ status: 401, body: { code: 40103 } })
  })
})
