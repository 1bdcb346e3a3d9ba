import { expect, it } from 'vitest'
import { createTestApi, REGISTRATION } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const MINUTE_MS = 60_000

async function world() {
  const api = createTestApi()
  const partner = await api.partner()
  const device = await api.device('SB-0001')
  const send = (deviceSerial = device.serial) =>
    partner.call('POST', '/device/send-verification', { deviceSerial })
  const register = (verificationCode: string) =>
    partner.call('POST', '/device/register', {
      ...REGISTRATION,
      deviceSerial: device.serial,
      verificationCode,
    })
  return { api, partner, device, send, register }
}

it('shows six digits on the device, and answers with their expiry but not the digits', async () => {
  const { device, send } = await world()
  const answer = await send()
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    deviceSerial: 'SB-0001',
    channel: 'screen',
    expiresIn: 300,
    expiresAt: '2026-11-20T03:05:00.000Z',
    codesRemaining: 2,
    windowResetsAt: '2026-11-20T03:15:00.000Z',
  })
  expect(device.code()).toMatch(/^\d{6}$/)
})

it('allows three codes in fifteen minutes from the first, then answers with Retry-After', async () => {
  const { api, send } = await world()
  expect((await send()).body).toMatchObject({ codesRemaining: 2 })
  await api.clock.wind(5 * MINUTE_MS)
  expect((await send()).body).toMatchObject({ codesRemaining: 1, windowResetsAt: '2026-11-20T03:15:00.000Z' })
  expect((await send()).body).toMatchObject({ codesRemaining: 0 })
  const fourth = await send()
  expect(fourth.status).toBe(429)
  expect(fourth.body).toMatchObject({ code: 42901, error: 'VERIFICATION_QUOTA' })
  expect(fourth.headers.get('Retry-After')).toBe('600')
  await api.clock.wind(10 * MINUTE_MS)
  expect((await send()).body).toMatchObject({ codesRemaining: 2, windowResetsAt: '2026-11-20T03:30:00.000Z' })
})

it('refuses nobody for the time while the clock is behind', async () => {
  const { api, send } = await world()
  for (let i = 0; i < 3; i += 1) await send()
  api.readiness = 'clock'
  const behind = await send()
  expect([behind.status, behind.headers.get('Retry-After')]).toEqual([503, '30'])
  expect(behind.body).toMatchObject({ code: 50300, details: [] })
  api.readiness = 'ready'
  expect((await send()).body).toMatchObject({ code: 42901 })
})

it('answers that the device is offline, and counts nothing', async () => {
  const { device, send } = await world()
  device.leave()
  const answer = await send()
  expect(answer.status).toBe(409)
  expect(answer.body).toMatchObject({ code: 40901, error: 'DEVICE_OFFLINE' })
  await device.connect()
  expect((await send()).body).toMatchObject({ codesRemaining: 2 })
})

it('gives up after five seconds without a confirmation, removes the code and counts nothing', async () => {
  const { api, device, send, register } = await world()
  device.obeys = 'received'
  const answer = send()
  await settle()
  await api.clock.wind(4_999)
  device.obeys = 'final'
  await api.clock.wind(1)
  expect(await answer).toMatchObject({ status: 504, body: { code: 50401, error: 'DEVICE_NOT_RESPONDING' } })
  expect(device.heard.at(-1)).toMatchObject({ t: 'clear', d: { what: 'code' } })
  expect((await register(device.code())).body).toMatchObject({ code: 40012 })
  expect((await send()).body).toMatchObject({ codesRemaining: 2 })
})

it('keeps a code over a restart: outstanding, burnt, used or expired', async () => {
  const { api, device, send, register } = await world()
  const restart = async () => {
    await api.restart()
    await device.connect()
  }
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

it('neither shows again nor issues a code of which the hub has stopped before it was confirmed', async () => {
  const { api, device, send, register } = await world()
  device.obeys = 'silent'
  const unanswered = send()
  await settle()
  device.obeys = 'final'
  await api.restart()
  await device.connect()
  await api.clock.wind(5_000)
  expect((await unanswered).body).toMatchObject({ code: 40901 })
  expect((await register(device.code())).body).toMatchObject({ code: 40012 })
  expect((await send()).body).toMatchObject({ codesRemaining: 2 })
})

it('issues at most three codes for ten parallel requests', async () => {
  const { device, send } = await world()
  const answers = await Promise.all(Array.from({ length: 10 }, () => send()))
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3)
  expect(answers.filter((answer) => answer.status === 429)).toHaveLength(7)
  expect(device.heard.filter((command) => command.t === 'code')).toHaveLength(3)
})

it('burns the code at the first wrong guess', async () => {
  const { device, send, register } = await world()
  await send()
  const wrong = device.code() === '000000' ? '000001' : '000000'
  const guess = await register(wrong)
  expect(guess.status).toBe(400)
  expect(guess.body).toMatchObject({ code: 40010, error: 'VERIFICATION_CODE_INVALID' })
  expect((await register(device.code())).body).toMatchObject({ code: 40012 })
  await settle()
  expect(device.heard.at(-1), 'a burnt code leaves the screen').toMatchObject({
    t: 'clear',
    d: { what: 'code' },
  })
})
