import { expect, it } from 'vitest'
import { createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'

const AT = '2026-11-20T03:00:00.000Z'

async function world(options?: { sweeps: boolean }) {
  const { api, partner, device } = await createTestShop(options)
  const announcement = async (ftCode = 'FT0001') => {
    const answer = await partner.call('GET', `/payment/transactions/${encodeURIComponent(ftCode)}`)
    return Object(answer.body).announcements[0]
  }
  return { api, partner, device, announcement }
}

it('answers with the reported payment and the stage of every speaker', async () => {
  const { partner } = await world()
  await partner.pay({ billNumber: 'HD001' })
  await settle()
  const answer = await partner.call('GET', '/payment/transactions/FT0001')
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    ...{ id: expect.any(String), storeId: expect.any(String), outcome: 'static_qr' },
    ...{ ftCode: 'FT0001', traceTransfer: '104233', terminalID: 'T-01', bankCode: 'MB', billNumber: 'HD001' },
    ...{ transactionAmount: '50000', notice: 'Cà phê & bánh mì * ~ !', payDate: AT, receivedAt: AT },
    announcements: [
      {
        deviceSerial: 'SB-0001',
        n: expect.any(Number),
        stage: 'played',
        times: { queued: AT, sent: AT, received: AT, played: AT },
      },
    ],
  })
})

it('shows every stage of an announcement with its time', async () => {
  const { api, partner, device, announcement } = await world()
  device.obeys = 'silent'
  device.leave()
  await partner.pay()
  expect(await announcement()).toMatchObject({ stage: 'queued', times: { queued: AT } })
  await api.clock.wind(10_000)
  await device.connect()
  const welcome = device.heard.findLast((command) => command.t === 'welcome')
  if (welcome) await device.ack(welcome, 'received')
  await settle()
  expect(await announcement()).toMatchObject({ stage: 'sent', times: { sent: '2026-11-20T03:00:10.000Z' } })
  const command = device.heard.find((one) => one.t === 'announce')
  if (!command) throw new Error('nothing was announced')
  await api.clock.wind(1_000)
  await device.ack(command, 'received')
  expect(await announcement()).toMatchObject({
    stage: 'received',
    times: { received: '2026-11-20T03:00:11.000Z' },
  })
  await api.clock.wind(1_000)
  await device.ack(command, 'played')
  expect(await announcement()).toMatchObject({
    stage: 'played',
    times: { played: '2026-11-20T03:00:12.000Z' },
  })
  await device.ack(command, 'failed', 'audio_failed')
  expect(await announcement()).toMatchObject({ stage: 'played' })
})

it('shows why a speaker failed', async () => {
  const { partner, device, announcement } = await world()
  device.obeys = 'silent'
  await partner.pay()
  await settle()
  const command = device.heard.find((one) => one.t === 'announce')
  if (command) await device.ack(command, 'failed', 'audio_failed')
  expect(await announcement()).toMatchObject({
    stage: 'failed',
    reason: 'audio_failed',
    times: { failed: AT },
  })
})

it('shows that an announcement expired after 120 seconds; the screen shows it as missed', async () => {
  const { api, partner, device, announcement } = await world({ sweeps: true })
  device.leave()
  await partner.pay()
  await partner.pay({ ftCode: 'FT0002', transactionAmount: '70000' })
  await api.clock.wind(119_000)
  expect(await announcement()).toMatchObject({ stage: 'queued' })
  await api.clock.wind(2_000)
  expect(await announcement()).toMatchObject({ stage: 'expired', times: { expired: expect.any(String) } })
  await device.connect()
  expect(device.heard.filter((command) => command.t === 'announce')).toEqual([])
  expect(device.heard.findLast((command) => command.t === 'missed')?.d).toEqual({
    count: 2,
    amount: '120000',
  })
})

it.each(['FT/1', 'FT 2', 'FT%3', 'Mã số 4', 'a?b#c', '%2F'])('finds the code %s', async (ftCode) => {
  const { partner, announcement } = await world()
  expect((await partner.pay({ ftCode })).status).toBe(200)
  expect(await announcement(ftCode)).toMatchObject({ deviceSerial: 'SB-0001' })
})

it.each(['NEVER', 'ft0001', '%00'])('answers 404 40403 for %s', async (ftCode) => {
  const { partner } = await world()
  await partner.pay()
  const answer = await partner.call('GET', `/payment/transactions/${ftCode}`)
  expect(answer.status).toBe(404)
  expect(answer.body).toMatchObject({ code: 40403, error: 'TRANSACTION_NOT_FOUND' })
})
