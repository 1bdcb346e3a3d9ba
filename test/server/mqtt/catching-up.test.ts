import { expect, it } from 'vitest'
import { signedCallback } from '../../support/callback.ts'
import { partnerOf, registerOver } from '../../support/http/partner-client.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornDevice, type MqttDevice, sidOf } from '../../support/mqtt/mqtt-device.ts'
import { until } from '../../support/wait.ts'

const PAYMENTS = 300

/** Acks every command as soon as it comes: the next one comes only then. */
function ackAll(device: MqttDevice) {
  let acked = 0
  const look = () => {
    for (const command of device.heard.slice(acked))
      device.ack(command, command.t === 'code' ? 'shown' : 'received').catch(() => undefined)
    acked = device.heard.length
  }
  look()
  device.client.on('message', look)
}

/** A shop whose device was away while its payments came. */
async function shop() {
  const hub = await startTestHub({ env: { HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '1000' } })
  const device = await hub.device('SB-0001')
  const before = await bornDevice(hub.mqtt, device)
  ackAll(before)
  const codeOf = () => before.heard.find((one) => one.t === 'code')?.d.code
  const partner = await partnerOf(hub)
  await registerOver(partner, device.serial, codeOf)
  before.client.end(true)
  await until('the end of the connection', () => before.closed)
  const pay = (ftCode: string) => {
    const body = signedCallback(partner.clientSecret, { ftCode })
    return partner.call('POST', '/payment/callback', body)
  }
  for (let paid = 0; paid < PAYMENTS; paid += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => pay(`FT${paid + index}`)))
  const stages = async () => {
    const { body } = await partner.call('GET', `/payment/transactions/FT${PAYMENTS - 1}`)
    return Object(body).announcements[0].stage
  }
  return { hub, device, stages }
}

it('a device that catches up hundreds of announcements, and acks them all at once, is left alone', async () => {
  const { hub, device, stages } = await shop()
  const back = await bornDevice(hub.mqtt, device, { sid: sidOf(2) })
  ackAll(back)
  const all = await until('all announcements', () => {
    // The hub may send one again while the device is slow.
    const announced = new Map(back.heard.filter(({ t }) => t === 'announce').map((one) => [one.id, one]))
    return announced.size === PAYMENTS && [...announced.values()]
  })
  await Promise.all(all.map((command) => back.ack(command, 'played')))
  expect(back.closed).toBe(false)
  expect(await stages()).toBe('played')
})
