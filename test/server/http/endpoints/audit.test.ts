import { expect, it } from 'vitest'
import type { AuditRow } from '../../../../server/storage/audit.ts'
import { createTestShop, REGISTRATION, stringAt, type TestApi } from '../../../support/api.ts'

/** The rows of one partner since the first look, oldest first, without its logins. */
async function rowsOf(api: TestApi, actor: string): Promise<AuditRow[]> {
  const rows = await api.storage.audit.list({ limit: 1_000, actor })
  return rows.filter(({ action }) => action !== 'token.start').reverse()
}

const toText = ({ action, subject }: AuditRow) => `${action} ${subject}`

it('has one row for each change by the API, by its partner, and none for what is read, paid or refused', async () => {
  const { api, partner, storeId } = await createTestShop()
  const { clientId } = partner
  const lock = (active: boolean) =>
    partner.call('PATCH', '/device/update-status', {
      devices: ['SB-0001', 'SB-NONE'].map((deviceSerial) => ({ deviceSerial, active })),
    })
  await lock(false)
  await lock(true)
  await partner.call('PUT', `/store/${storeId}`, { storeName: 'Quán Mới', phoneNumber: '0987654321' })
  await partner.call('PUT', '/device/SB-0001/settings', { volume: 60, lang: 'vi' })
  const statuses = [
    await partner.call('GET', '/device/SB-0001'),
    await partner.pay(),
    await partner.call('POST', '/payment/dynamic-qr', {
      ...{ storeId, transactionAmount: '50000', billNumber: 'B1', qrcode: 'a QR text' },
    }),
    await partner.call('PUT', '/store/none', { storeName: 'X' }),
    await partner.call('PUT', '/device/SB-0001/settings', { volume: 200 }),
    await partner.call('POST', '/device/unregister', { deviceSerial: 'SB-NONE' }),
    await partner.call('POST', '/device/register', { ...REGISTRATION, deviceSerial: 'SB-NONE' }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 201, 404, 400, 400, 400])
  await partner.call('POST', '/device/unregister', { deviceSerial: 'SB-0001' })

  const rows = await rowsOf(api, clientId)
  expect(rows.map(toText)).toEqual([
    'code.issue SB-0001',
    'device.register SB-0001',
    'device.lock SB-0001',
    'device.unlock SB-0001',
    `store.update ${storeId}`,
    'device.settings SB-0001',
    'device.unregister SB-0001',
  ])
  for (const row of rows) expect(row).toMatchObject({ actorKind: 'partner', at: expect.any(Number) })
  expect(rows.map(({ details }) => details)).toEqual([
    {},
    { storeId, created: true },
    ...[{}, {}],
    { changed: ['storeName', 'phoneNumber'] },
    { volume: [null, 60], lang: [null, 'vi'] },
    {},
  ])
})

it('counts logins and has the end of a family whose token was used again; wrong secrets are in the log', async () => {
  const { api, partner } = await createTestShop()
  const { clientId, clientSecret } = partner
  const post = (path: string, body: object) => api.request('POST', `/api/v1/partner/auth/${path}`, { body })
  await post('token', { clientId, clientSecret: 'wrong' })
  const refreshToken = stringAt(await post('token', { clientId, clientSecret }), 'refreshToken')
  const next = stringAt(await post('refresh', { refreshToken }), 'refreshToken')
  await post('refresh', { refreshToken: next })
  expect((await post('refresh', { refreshToken })).body).toMatchObject({ code: 40107 })
  const rows = await api.storage.audit.list({ limit: 100, action: 'token.' })
  expect(rows).toMatchObject([
    { action: 'token.revoke', actorKind: 'hub', subject: clientId },
    { action: 'token.start', actor: clientId, subject: clientId, details: { count: 2 } },
  ])
})

it('holds no secret, token, code, key or personal value', async () => {
  const { api, partner, device, storeId } = await createTestShop()
  const { clientId, clientSecret, token } = partner
  const body = { clientId, clientSecret }
  const tokens = await api.request('POST', '/api/v1/partner/auth/token', { body })
  const personal = {
    ...{ ownerName: 'TRAN VAN BINH', identityNumber: '001099012345', bankAccountName: 'LE THI DAO' },
    ...{ bankAccountNumber: '99887766', phoneNumber: '0987654321', staticQRCode: 'a QR text of 99887766' },
  }
  await partner.call('PUT', `/store/${storeId}`, personal)
  await partner.call('POST', '/device/send-verification', { deviceSerial: 'SB-0001' })
  const code = device.code()
  const wrong = code === '000000' ? '111111' : '000000'
  await partner.call('POST', '/device/register', {
    ...{ ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: wrong },
  })

  const rows = await api.storage.audit.list({ limit: 1_000 })
  expect(rows.map(toText)).toContain('code.burn SB-0001')
  const stored = JSON.stringify(rows)
  const { phoneNumber, identityNumber, bankAccountNumber, bankAccountName } = REGISTRATION
  for (const hidden of [
    ...[clientSecret, token, stringAt(tokens, 'accessToken'), stringAt(tokens, 'refreshToken')],
    ...[`"${code}"`, `"${wrong}"`, phoneNumber, identityNumber, bankAccountNumber, bankAccountName],
    ...Object.values(personal),
  ])
    expect(stored).not.toContain(hidden)
})
