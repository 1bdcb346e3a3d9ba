import { expect, it } from 'vitest'
import { signedCallback } from '../support/callback.ts'
import { partnerOf, registerOver } from '../support/http/partner-client.ts'
import { startTestHub } from '../support/hub.ts'
import { switchOn } from '../support/mqtt/speaker.ts'
import { until } from '../support/wait.ts'

/** A shop with its speaker on, registered by its partner over the public API. */
async function shop() {
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const speaker = switchOn(device, hub.mqtt)
  await speaker.next('connected')
  const partner = await partnerOf(hub)
  const store = await registerOver(partner, device.serial, speaker.code)
  const pay = (changes = {}) =>
    partner.call('POST', '/payment/callback', signedCallback(partner.clientSecret, changes))
  const stage = async (ftCode = 'FT0001') => {
    const { body } = await partner.call('GET', `/payment/transactions/${ftCode}`)
    return Object(body).announcements[0].stage
  }
  const totals = async () => {
    const { body } = await partner.call('GET', `/device/${device.serial}`)
    const { totalTransaction, totalAmount } = Object(body).stores[0]
    return { totalTransaction, totalAmount }
  }
  return { hub, device, speaker, partner, store, pay, stage, totals }
}

it('one payment is heard once: from the code on the screen to the played receipt', async () => {
  const { speaker, partner, store, pay, stage, totals } = await shop()
  expect(await speaker.next('profile')).toBeDefined()

  const bill = { storeId: store.id, billNumber: 'HD001', transactionAmount: '50000', qrcode: 'a payment QR' }
  expect((await partner.call('POST', '/payment/dynamic-qr', bill)).status).toBe(201)
  expect(await speaker.next('qr')).toMatchObject({ qr: 'a payment QR', amount: '50000', bill: 'HD001' })

  const first = await pay({ billNumber: 'HD001' })
  const second = await pay({ billNumber: 'HD001' })
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('Idempotent-Replayed')).toBe('true')

  expect(await speaker.next('announce')).toMatchObject({
    ...{ amount: '50000', currency: 'VND', bill: 'HD001' },
    text: 'Đã nhận năm mươi nghìn đồng',
  })
  await speaker.next('played')
  await until('the receipt', async () => (await stage()) === 'played')
  expect(await totals()).toEqual({ totalTransaction: '1', totalAmount: '50000' })

  // Whatever was sent twice would come before the announcement of a later payment.
  await pay({ ftCode: 'FT0002', transactionAmount: '70000' })
  await speaker.next('played', 2)
  expect(speaker.all('announce').map(({ amount }) => amount)).toEqual(['50000', '70000'])
})

it('sb/1 8.7: the volume of a factory speaker can be changed alone: it has reported its settings', async () => {
  const { device, speaker, partner } = await shop()
  const path = `/device/${device.serial}/settings`
  await until('its report', async () => Object((await partner.call('GET', path)).body).reported !== null)
  expect(await partner.call('PUT', path, { volume: 30 })).toMatchObject({
    status: 200,
    body: { desired: { ver: 1, volume: 30, lang: 'vi' } },
  })
  expect(await speaker.next('settings')).toMatchObject({ ver: 1, volume: 30 })
})

it('a speaker that was offline hears the payment when it is back', async () => {
  const { speaker, pay, stage } = await shop()
  await speaker.speaker.cutNetwork()
  expect((await pay()).status).toBe(200)
  expect(await stage()).toBe('queued')
  speaker.speaker.start()
  await speaker.next('played')
  await until('the receipt', async () => (await stage()) === 'played')
  expect(speaker.all('announce')).toHaveLength(1)
})

it('payments made while a speaker was offline are heard in their order, each once', async () => {
  const { speaker, pay } = await shop()
  await speaker.speaker.cutNetwork()
  const amounts = ['10000', '20000', '30000', '40000']
  for (const transactionAmount of amounts) await pay({ transactionAmount, ftCode: `FT${transactionAmount}` })
  speaker.speaker.start()
  await speaker.next('played', 4)
  expect(speaker.all('announce').map(({ amount }) => amount)).toEqual(amounts)
})

it('a speaker that loses its line while it speaks does not say it again', async () => {
  const { speaker, pay, stage } = await shop()
  await pay()
  await speaker.next('announce')
  await speaker.speaker.cutNetwork()
  speaker.speaker.start()
  await until('the receipt', async () => (await stage()) === 'played')
  expect(speaker.all('announce')).toHaveLength(1)
})

it('two speakers of one store both hear it', async () => {
  const { hub, speaker, partner, pay } = await shop()
  const device = await hub.device('SB-0002')
  const second = switchOn(device, hub.mqtt)
  await second.next('connected')
  await registerOver(partner, device.serial, second.code)
  await pay()
  await Promise.all([speaker.next('played'), second.next('played')])
})

it('a speaker over WebSocket hears it as well', async () => {
  const hub = await startTestHub()
  const device = await hub.device('SB-0001')
  const speaker = switchOn(device, `${hub.http.replace('http', 'ws')}/mqtt`)
  await speaker.next('connected')
  const partner = await partnerOf(hub)
  await registerOver(partner, device.serial, speaker.code)
  await partner.call('POST', '/payment/callback', signedCallback(partner.clientSecret))
  await speaker.next('played')
})

it('a request that waits for its speaker is answered before the hub stops', async () => {
  const { hub, device, speaker, partner } = await shop()
  const asked = partner.call('POST', '/device/send-verification', { deviceSerial: device.serial })
  await speaker.next('code', 2)
  await hub.stop()
  expect((await asked).status).toBe(200)
})
