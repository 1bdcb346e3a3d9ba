import { describe, expect, it } from 'vitest'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import { OPERATOR } from '../../support/actors.ts'
import { signedCallback } from '../../support/callback.ts'
import { partnerOf } from '../../support/http/partner-client.ts'
import { startTestHub, type TestHub } from '../../support/hub.ts'
import { bornDevice, connectDevice, sidOf } from '../../support/mqtt/mqtt-device.ts'
import { shopWith } from '../../support/mqtt/obedient-device.ts'
import { connectPacket, openRaw } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'

async function world(serial = 'SB-0001') {
  const hub = await startTestHub()
  const device = await hub.device(serial)
  const partner = await partnerOf(hub)
  const isConnected = async () => {
    const { body } = await partner.call('GET', `/device/${serial}`)
    return Object(body).connected === true
  }
  return { hub, device, partner, isConnected }
}

describe('a session', () => {
  it('begins with the birth, not with the connection, and ends with the link', async () => {
    const { hub, device, isConnected } = await world()
    const connected = await connectDevice(hub.mqtt, device)
    await connected.client.subscribeAsync(downTopic(device.serial), { qos: 1 })
    expect(await isConnected()).toBe(false)
    expect(connected.heard).toEqual([])
    await connected.birth()
    expect(await connected.next('welcome')).toMatchObject({ d: { linked: false } })
    expect(await isConnected()).toBe(true)
    connected.client.stream.destroy()
    await until('the hub to see it go', async () => !(await isConnected()))
  })

  it('ends with a goodbye', async () => {
    const { hub, device, isConnected } = await world()
    const born = await bornDevice(hub.mqtt, device)
    await born.publish('will', Buffer.from(JSON.stringify({ sid: sidOf(1), reason: 'bye' })))
    expect(await isConnected()).toBe(false)
  })

  it('sb/1 8.4: goes on as it was, whatever telemetry says', async () => {
    const { hub, device, isConnected } = await world()
    const born = await bornDevice(hub.mqtt, device)
    await born.next('profile')
    // The hub may send a command again while the device is slow.
    const heard = () => new Set(born.heard.map(({ id }) => id)).size
    const before = heard()
    for (const said of [
      '{"battery":0,"signal":-150,"volume":0,"queue":10000}',
      '{"battery":-1}',
      'rubbish',
      '',
    ])
      await born.publish('telemetry', Buffer.from(said))
    // Its PUBACK comes after whatever the telemetry before it may have led to.
    await born.ack(await born.next('welcome'), 'received')
    expect(await isConnected()).toBe(true)
    expect(heard()).toBe(before)
  })

  it('sb/1 3.3, sb/1 3.4: is taken over by a newer connection of the same device, whose old will does not end it', async () => {
    const { hub, device, isConnected } = await world()
    const old = await bornDevice(hub.mqtt, device, { sid: sidOf(1) })
    const young = await bornDevice(hub.mqtt, device, { sid: sidOf(2) })
    await until('the end of the old connection', () => old.closed)
    expect(young.closed).toBe(false)
    expect(await isConnected()).toBe(true)
  })

  it('sb/1 2.4: is closed within a second when the device is revoked by another process', async () => {
    const { hub, device } = await world()
    const born = await bornDevice(hub.mqtt, device)
    await hub.storage.devices.revoke(OPERATOR, device.serial, Date.now())
    await until('the end of the connection', () => born.closed)
  })

  it('sb/1 6.1, sb/1 7.3: resends what was not acknowledged after the next birth, with the same id and number', async () => {
    const { hub, device, partner } = await world()
    const first = await shopWith(hub, partner, device)
    first.client.stream.destroy()
    await until('the end of the first', () => first.closed)
    await partner.call('POST', '/payment/callback', signedCallback(partner.clientSecret))
    const second = await bornDevice(hub.mqtt, device, { sid: sidOf(2) })
    const heard = await second.next('announce')
    second.client.stream.destroy()
    const third = await bornDevice(hub.mqtt, device, { sid: sidOf(3) })
    expect(await third.next('announce')).toMatchObject({ id: heard.id, n: heard.n })
  })
})

describe('a frozen device', () => {
  it("does not slow another device's announcements", async () => {
    const { hub, device, partner } = await world()
    const born = await shopWith(hub, partner, device)
    const frozen = await freeze(hub)
    for (let i = 0; i < 50; i += 1)
      await partner.call(
        'POST',
        '/payment/callback',
        signedCallback(partner.clientSecret, { ftCode: `FT${i}` }),
      )
    await until('fifty announcements', () => {
      const heard = new Set(
        born.heard.filter((command) => command.t === 'announce').map((command) => command.id),
      )
      return heard.size === 50
    })
    expect(frozen.closed).toBe(false)
  })

  /** A second speaker that subscribes and then reads nothing any more. */
  async function freeze(hub: TestHub) {
    const device = await hub.device('SB-FROZEN')
    const raw = await openRaw(hub.mqtt)
    raw.send(connectPacket(device, sidOf(1)))
    await raw.next('connack')
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: downTopic(device.serial), qos: 1 }] })
    await raw.next('suback')
    raw.socket.pause()
    raw.send({
      cmd: 'publish',
      topic: upTopic(device.serial, 'telemetry'),
      payload: '{}',
      qos: 0,
      dup: false,
      retain: false,
    })
    return raw
  }
})
