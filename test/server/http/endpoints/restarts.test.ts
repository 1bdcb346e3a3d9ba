import { describe, expect, it } from 'vitest'
import { rotateSecret, SECRET_OVERLAP_MS } from '../../../../server/partners/manage-partners.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi, REGISTRATION, stringAt } from '../../../support/api.ts'
import { checksumOf, signedCallback } from '../../../support/callback.ts'
import { settle } from '../../../support/clock.ts'

const MINUTE_MS = 60_000

/** A partner, and a device that reconnects after each restart. */
async function world() {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const { clientId, clientSecret } = partner
  const restart = async () => {
    await api.restart()
    await device.connect()
  }
  const send = () => partner.call('POST', '/device/send-verification', { deviceSerial: 'SB-0001' })
  const register = (verificationCode: string) =>
    partner.call('POST', '/device/register', { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode })
  const logIn = (secret = clientSecret) =>
    api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret: secret } })
  const refresh = (refreshToken: string) =>
    api.request('POST', '/api/v1/partner/auth/refresh', { body: { refreshToken } })
  const announced = async () => {
    await settle()
    const heard = device.heard.flatMap((command) => (command.t === 'announce' ? [command.n] : []))
    return new Set(heard).size
  }
  return { api, partner, device, restart, send, register, logIn, refresh, announced }
}

describe('verification codes after a restart', () => {
  it('keep their quota: the fourth code is refused until the period that began before is over', async () => {
    const { api, restart, send } = await world()
    await send()
    await api.clock.wind(MINUTE_MS)
    await send()
    await restart()
    expect((await send()).body).toMatchObject({ codesRemaining: 0 })
    await restart()
    const fourth = await send()
    expect(fourth).toMatchObject({ status: 429, body: { code: 42901 } })
    expect(fourth.headers.get('Retry-After')).toBe(String(14 * 60))
    await api.clock.wind(14 * MINUTE_MS)
    await restart()
    expect((await send()).body).toMatchObject({ codesRemaining: 2 })
  })

  it('keep their state: outstanding, burnt, used or expired', async () => {
    const { api, device, restart, send, register } = await world()
    await send()
    const burnt = device.code()
    await register(burnt === '000000' ? '000001' : '000000')
    await restart()
    expect((await register(burnt)).body).toMatchObject({ code: 40012 })

    await send()
    const used = device.code()
    await restart()
    expect((await register(used)).status).toBe(201)
    await restart()
    expect((await register(used)).body).toMatchObject({ code: 40012 })

    await send()
    const expired = device.code()
    await api.clock.wind(5 * MINUTE_MS)
    await restart()
    expect((await register(expired)).body).toMatchObject({ code: 40011 })
  })

  it('are neither shown again nor issued when the hub stopped before they were confirmed', async () => {
    const { api, device, restart, send, register } = await world()
    device.obeys = 'silent'
    const unanswered = send()
    await settle()
    device.obeys = 'final'
    await restart()
    await api.clock.wind(5_000)
    expect((await unanswered).body).toMatchObject({ code: 40901 })
    expect((await register(device.code())).body).toMatchObject({ code: 40012 })
    expect((await send()).body).toMatchObject({ codesRemaining: 2 })
  })
})

describe('tokens after a restart', () => {
  it('stay valid: an access token for its hour, a refresh token in its family', async () => {
    const { api, partner, restart, logIn, refresh } = await world()
    const first = stringAt(await logIn(), 'refreshToken')
    await restart()
    expect((await partner.call('GET', '/device/SB-0001')).status).toBe(200)
    const second = stringAt(await refresh(first), 'refreshToken')
    await restart()
    const again = await refresh(first)
    expect(again.status).toBe(200)
    expect((await refresh(second)).status).toBe(200)
    await api.clock.wind(60 * MINUTE_MS)
    await restart()
    expect((await partner.call('GET', '/device/SB-0001')).body).toMatchObject({ code: 40102 })
  })

  it('are revoked with their family by a reuse, and stay revoked', async () => {
    const { api, restart, logIn, refresh } = await world()
    const first = stringAt(await logIn(), 'refreshToken')
    const second = await refresh(first)
    await restart()
    await api.clock.wind(61_000)
    expect((await refresh(first)).body).toMatchObject({ code: 40107 })
    await restart()
    const token = stringAt(second, 'accessToken')
    expect(await api.request('GET', '/api/v1/partner/device/SB-0001', { token })).toMatchObject({
      body: { code: 40101 },
    })
    expect((await refresh(stringAt(second, 'refreshToken'))).body).toMatchObject({ code: 40107 })
  })
})

describe('a rotated secret after a restart', () => {
  it('works for logins and signatures together with the old one, until that expires', async () => {
    const { api, partner, device, restart, logIn } = await world()
    await partner.register(device)
    const { clock } = api
    const deps = { by: OPERATOR, partners: api.storage.partners, clock, ids: createRandomIds() }
    const rotated = (await rotateSecret(deps, partner.clientId))?.clientSecret ?? ''
    const pay = (secret: string, ftCode: string) =>
      partner.call('POST', '/payment/callback', signedCallback(secret, { ftCode }))

    await restart()
    for (const [index, secret] of [partner.clientSecret, rotated].entries()) {
      expect((await logIn(secret)).status).toBe(200)
      expect((await pay(secret, `FT-${index}`)).status).toBe(200)
    }
    await clock.wind(SECRET_OVERLAP_MS)
    await restart()
    expect((await logIn()).body).toMatchObject({ code: 40103 })
    partner.token = stringAt(await logIn(rotated), 'accessToken')
    expect((await pay(partner.clientSecret, 'FT-3')).body).toMatchObject({ code: 40014 })
    expect((await pay(rotated, 'FT-3')).status).toBe(200)
  })
})

describe('a payment that is reported again after a restart', () => {
  it('gets its first answer, and is neither announced nor counted again', async () => {
    const { partner, device, restart, announced } = await world()
    await partner.register(device, { staticQRCode: 'static' })
    const first = await partner.pay()
    await settle()
    // The store and the bill have changed meanwhile; the stored answer has not.
    await partner.call('PUT', `/store/${stringAt(first, 'storeId')}`, { bankName: 'Another bank' })
    await restart()
    const again = await partner.pay()
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await announced()).toBe(1)
    const detail = await partner.call('GET', '/device/SB-0001')
    expect(detail.body).toMatchObject({ stores: [{ totalTransaction: '1', totalAmount: '50000' }] })
  })

  it('is still refused with other content', async () => {
    const { partner, device, restart, announced } = await world()
    await partner.register(device)
    await partner.pay()
    await restart()
    expect((await partner.pay({ transactionAmount: '1' })).body).toMatchObject({ code: 40018 })
    expect(await announced()).toBe(1)
  })

  it("is checked first: a wrong checksum never gets another payment's answer", async () => {
    const { partner, device, restart } = await world()
    await partner.register(device)
    const { checkSum: _, ...fields } = signedCallback(partner.clientSecret)
    await partner.pay()
    await restart()
    const forged = { ...fields, checkSum: checksumOf('another secret', fields) }
    expect((await partner.call('POST', '/payment/callback', forged)).body).toMatchObject({ code: 40014 })
  })
})
