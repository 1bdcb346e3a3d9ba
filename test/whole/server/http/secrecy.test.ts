import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { passwordOf } from '../../../../protocol/keys.ts'
import { buildVietQr } from '../../../../protocol/vietqr/build.ts'
import { rotateSecret } from '../../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi, REGISTRATION, stringAt } from '../../../support/api.ts'
import { CALLBACK, signedCallback } from '../../../support/callback.ts'
import { settle } from '../../../support/clock.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import { bornDevice, connectDevice, keysOf, type Minted } from '../../../support/mqtt/mqtt-device.ts'
import { until } from '../../../support/wait.ts'

/** The values that only the partner and the shop may read. */
const PERSONAL = {
  phone: '0987612345',
  account: '5566778899001',
  identity: '079123456789',
  holder: 'NGUYEN VAN AN',
  owner: 'TRAN THI BINH',
  newAccount: '777788889999',
  newIdentity: 'ID-55556666',
  notice: 'LE VAN CUONG 0911222333 chuyen tien',
}
const STATIC_QR = buildVietQr({ bin: '970422', account: PERSONAL.account })
if (!STATIC_QR.ok) throw new Error(STATIC_QR.error.message)

/** The values that the text contains as whole words: six digits may be part of an id. */
function toldIn(text: string, values: string[]): string[] {
  const escaped = (value: string) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return values.filter((value) => new RegExp(`(?<![0-9A-Za-z-])${escaped(value)}(?![0-9A-Za-z-])`).test(text))
}

/** Every HTTP response, and its secret parts. */
function recorder(hub: TestHub) {
  const refused: string[] = []
  const tokens: string[] = []
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${hub.http}/api/v1/partner${path}`, {
      method,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    for (const token of [Object(answer).accessToken, Object(answer).refreshToken])
      if (typeof token === 'string') tokens.push(token)
    if (!response.ok) refused.push(JSON.stringify([...response.headers]) + JSON.stringify(answer))
    return { status: response.status, body: answer }
  }
  return { send, refused, tokens }
}

/** A speaker that obeys; `codes` are those that its screen has shown. */
async function obedientDevice(hub: TestHub, minted: Minted) {
  const device = await bornDevice(hub.mqtt, minted)
  const codes: string[] = []
  device.client.on('message', () => {
    const command = device.heard.at(-1)
    if (!command) return
    // The hub may send a command again while the device is slow.
    if (command.t === 'code' && !codes.includes(command.d.code)) codes.push(command.d.code)
    device.ack(command, command.t === 'announce' ? 'played' : 'shown').catch(() => undefined)
  })
  return { device, codes }
}

/** The bytes of every file in the folder and its subfolders. */
function filesOf(folder: string): { name: string; bytes: Buffer }[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return found.map(({ name, parentPath }) => ({ name, bytes: readFileSync(join(parentPath, name)) }))
}

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>

/** Registers after attempts with wrong codes and wrong fields. Resolves with the store's id. */
async function register(send: Send, codes: string[], deviceSerial: string): Promise<string> {
  const ask = async () => {
    const before = codes.length
    expect((await send('POST', '/device/send-verification', { deviceSerial })).status).toBe(200)
    return until('the code', () => (codes.length > before ? codes.at(-1) : undefined))
  }
  const right = {
    ...{ ...REGISTRATION, deviceSerial, phoneNumber: PERSONAL.phone, identityNumber: PERSONAL.identity },
    ...{ bankAccountNumber: PERSONAL.account, bankAccountName: PERSONAL.holder, terminalID: 'T-01' },
    ...(STATIC_QR.ok && { staticQRCode: STATIC_QR.value }),
  }
  const first = await ask()
  const wrong = first === '000000' ? '000001' : '000000'
  for (const change of [
    { verificationCode: first, phoneNumber: `${PERSONAL.phone}x`, identityNumber: `${PERSONAL.identity}?` },
    { verificationCode: wrong },
    { verificationCode: first },
    { verificationCode: first, deviceSerial: 'SB-NOBODY' },
  ])
    expect((await send('POST', '/device/register', { ...right, ...change })).status).toBe(400)
  await send('POST', '/device/register', JSON.stringify({ ...right, verificationCode: first }).slice(0, -1))
  const registered = await send('POST', '/device/register', { ...right, verificationCode: await ask() })
  expect(registered.status).toBe(201)
  return String(Object(registered.body).store.id)
}

/** Bills and payments, right and wrong. */
async function pay(send: Send, storeId: string, secret: string) {
  const bill = { storeId, billNumber: 'B1', transactionAmount: '50000' }
  const notice = PERSONAL.notice
  const qrcode = `of ${PERSONAL.account}`
  const paid = { billNumber: 'B1', ftCode: 'FT1', notice }
  const { checkSum: _, ...unsigned } = signedCallback(secret, { notice })
  const calls: [number, string, object][] = [
    [201, 'dynamic-qr', bill],
    [201, 'dynamic-qr', { ...bill, billNumber: 'B2', qrcode }],
    [400, 'dynamic-qr', { ...bill, storeId: 'nobody', qrcode }],
    [400, 'dynamic-qr', { ...bill, qrcode: STATIC_QR.ok && STATIC_QR.value, transactionAmount: '0' }],
    [200, 'callback', signedCallback(secret, paid)],
    [200, 'callback', signedCallback(secret, paid)],
    [400, 'callback', signedCallback(secret, { ...paid, notice: `${notice} again` })],
    [400, 'callback', signedCallback(`${secret}x`, { notice, ftCode: 'FT2' })],
    [400, 'callback', { ...unsigned, checkSum: secret }],
    [400, 'callback', unsigned],
    [400, 'callback', signedCallback(secret, { notice, ftCode: 'FT3', terminalID: 'T-NOBODY' })],
    [400, 'callback', signedCallback(secret, { notice: `${notice}\u0000`, ftCode: 'FT4' })],
    [200, 'callback', signedCallback(secret, { notice, ftCode: 'FT5' })],
    [400, 'dynamic-qr', { ...bill, qrcode }],
  ]
  for (const [status, path, body] of calls)
    expect([path, body, (await send('POST', `/payment/${path}`, body)).status]).toEqual([path, body, status])
  expect((await send('GET', '/payment/transactions/FT1')).body).toMatchObject({ notice })
  expect((await send('GET', '/payment/transactions/FT-NONE')).status).toBe(404)
}

it('reveals no code, secret, token, key or personal number in any log, file or error, in a run of all operations', async () => {
  const lines: string[] = []
  const hub = await startTestHub({ log: createLog('trace', { write: (line) => void lines.push(line) }) })
  const { clientId, clientSecret } = await hub.partner()
  const minted = await hub.device('SB-0001')
  const { send, refused, tokens } = recorder(hub)

  const login = await send('POST', '/auth/token', { clientId, clientSecret })
  const { accessToken, refreshToken } = Object(login.body)
  const call: Send = (method, path, body) =>
    send(method, path, body, { Authorization: `Bearer ${accessToken}` })
  await send('POST', '/auth/token', { clientId, clientSecret: `${clientSecret}x` })
  await send('POST', '/auth/token', { clientId: clientSecret, clientSecret: clientId })
  const basic = Buffer.from(`${clientId}:wrong-${clientSecret}`).toString('base64')
  await send('POST', '/auth/token', undefined, { Authorization: `Basic ${basic}` })
  const twice = await hub.partner('Other')
  const other = await send('POST', '/auth/token', twice)
  const stale = { refreshToken: Object(other.body).refreshToken }
  const fresh = await send('POST', '/auth/refresh', stale)
  await send('POST', '/auth/refresh', { refreshToken: Object(fresh.body).refreshToken })
  expect((await send('POST', '/auth/refresh', stale)).body).toMatchObject({ code: 40107 })
  await send('POST', '/auth/refresh', { refreshToken: `${refreshToken}x` })
  await send('GET', '/device/SB-0001', undefined, { Authorization: `Bearer ${accessToken}x` })
  await send('GET', '/device/SB-0001', undefined, {
    Authorization: `Bearer ${accessToken}`,
    'x-client-id': clientSecret,
  })

  const wrongPassword = { password: Buffer.from(minted.key) }
  await expect(connectDevice(hub.mqtt, minted, wrongPassword)).rejects.toThrow()
  const { device, codes } = await obedientDevice(hub, minted)
  const storeId = await register(call, codes, 'SB-0001')
  const { storage } = hub
  const rotated = await rotateSecret(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids: createRandomIds() },
    clientId,
  )
  const newSecret = rotated?.clientSecret ?? ''
  await pay(call, storeId, newSecret)
  await device.next('announce')
  const update = { bankAccountNumber: PERSONAL.newAccount, identityNumber: PERSONAL.newIdentity }
  expect((await call('PUT', `/store/${storeId}`, { ...update, ownerName: PERSONAL.owner })).status).toBe(200)
  expect(
    (await call('PUT', `/store/${storeId}`, { ...update, phoneNumber: `${PERSONAL.phone}1` })).status,
  ).toBe(400)
  expect((await call('PUT', '/store/nobody', update)).status).toBe(404)
  await device.publish('telemetry', Buffer.from(JSON.stringify({ t: 'telemetry', key: minted.key })))
  const open = filesOf(hub.dataDir)
  const figures = await (await fetch(`${hub.admin}/metrics`)).text()
  await hub.stop()

  expect([codes.length, tokens.length, refused.length]).toEqual([2, 8, 24])
  expect(lines.length).toBeGreaterThan(refused.length)
  expect(open.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['hub.db', 'hub.db-wal', 'hub.json', 'hub.lock']),
  )
  const password = passwordOf(keysOf(minted)).toString()
  const secrets = [clientSecret, newSecret, twice.clientSecret, ...tokens, minted.key, password]
  const long = [...secrets, ...Object.values(PERSONAL), '0911222333', '84987612345', '987612345']
  for (const text of [lines.join(''), refused.join(''), figures])
    expect(toldIn(text, [...long, ...codes])).toEqual([])
  const rawKey = Buffer.from(minted.key, 'base64url')
  for (const { name, bytes } of [...open, ...filesOf(hub.dataDir)]) {
    for (const value of [...long, rawKey, rawKey.toString('hex')])
      expect(bytes.includes(value), `${value} in ${name}`).toBe(false)
    expect(toldIn(bytes.toString('latin1'), codes), name).toEqual([])
  }
})

it('reveals nothing in the log or the response when the storage fails', async () => {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  await partner.register(device, { phoneNumber: PERSONAL.phone, bankAccountNumber: PERSONAL.account })
  const { clientId, clientSecret } = partner
  const login = await api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } })
  const refreshToken = stringAt(login, 'refreshToken')
  // Its acks must be stored before the storage is closed.
  await settle()
  device.leave()
  await api.storage.close()
  const body = { ...REGISTRATION, deviceSerial: 'SB-0001', verificationCode: device.code() }
  const answers = [
    await api.request('POST', '/api/v1/partner/auth/refresh', { body: { refreshToken } }),
    await api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } }),
    await partner.call('GET', '/device/SB-0001'),
    await partner.call('POST', '/device/register', { ...body, phoneNumber: PERSONAL.phone }),
    await partner.pay({ notice: PERSONAL.notice }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  const told = answers.map((answer) => JSON.stringify([...answer.headers, answer.body])).join()
  expect(api.log.join('')).toContain('the storage refuses requests')
  const secrets = [clientSecret, partner.token, refreshToken, device.code(), ...Object.values(PERSONAL)]
  expect(toldIn(told + api.log.join(''), [...secrets, CALLBACK.notice])).toEqual([])
})
