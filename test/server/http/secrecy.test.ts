import { expect, it } from 'vitest'
import { createTestApi, REGISTRATION, stringAt } from '../../support/api.ts'

it('tells code, secrets, tokens and personal numbers to no log, and the code to no answer', async () => {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const codes: string[] = []
  const answers: string[] = []
  const call: typeof partner.call = async (...request) => {
    const answer = await partner.call(...request)
    answers.push(JSON.stringify([...answer.headers]) + JSON.stringify(answer.body))
    return answer
  }
  const code = async () => {
    await call('POST', '/device/send-verification', { deviceSerial: 'SB-0001' })
    codes.push(device.code())
    return device.code()
  }

  const right = { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: await code() }
  const store = stringAt(await call('POST', '/device/register', right), 'store', 'id')
  await call('POST', '/device/register', {
    ...right,
    verificationCode: await code(),
    phoneNumber: '0901234567x',
  })
  await call('POST', '/device/register', { ...right, verificationCode: '000000' })
  await call('PUT', `/store/${store}`, { bankAccountNumber: '777788889999', identityNumber: 'ID-55556666' })
  await partner.pay()
  const { clientId, clientSecret } = partner
  const login = await api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } })
  await api.request('POST', '/api/v1/partner/auth/token', {
    body: { clientId, clientSecret: `${clientSecret}x` },
  })
  const refreshToken = stringAt(login, 'refreshToken')
  await api.request('POST', '/api/v1/partner/auth/refresh', { body: { refreshToken } })
  await call('POST', '/device/register', `{"verificationCode":"${codes.at(-1)}"`)
  api.storage.close()
  await call('GET', '/device/SB-0001')
  await call('POST', '/device/register', right)

  const log = api.log.join('')
  expect(log).toContain('request')
  const numbers = [REGISTRATION.phoneNumber, REGISTRATION.bankAccountNumber, REGISTRATION.identityNumber]
  const secrets = [clientSecret, partner.token, stringAt(login, 'accessToken'), refreshToken]
  for (const secret of [...codes, ...secrets, ...numbers, '777788889999', 'ID-55556666'])
    expect(log).not.toMatch(new RegExp(`(?<![0-9A-Za-z-])${secret}(?![0-9A-Za-z-])`))
  for (const one of codes) expect(answers.join('')).not.toMatch(new RegExp(`(?<![0-9a-f])${one}(?![0-9a-f])`))
  expect(answers.join('')).not.toContain(clientSecret)
})
