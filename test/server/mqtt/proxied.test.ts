import { expect, it } from 'vitest'
import { serveBroker } from '../../support/mqtt/broker.ts'
import { sidOf } from '../../support/mqtt/mqtt-device.ts'
import { FROM_TCP4, proxyHeader } from '../../support/mqtt/proxy-header.ts'
import { connectPacket, openRaw } from '../../support/mqtt/raw-mqtt.ts'
import { until } from '../../support/wait.ts'

/** From one address it takes ten connections at once. */
async function world(trusted: string) {
  const { mint, ...broker } = await serveBroker({ trusted, connectsPerSecond: 1 })
  return { ...broker, device: await mint('SB-0001') }
}

it('a device behind a trusted proxy is served, and known by its own address', async () => {
  const { url, device, said } = await world('127.0.0.0/8')
  const raw = await openRaw(url)
  raw.write(FROM_TCP4)
  raw.send(connectPacket(device, sidOf(1)))
  expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
  raw.socket.destroy()
  await until('the end', () => said('device disconnected')[0])
  for (const message of ['device connected', 'device disconnected'])
    expect(said(message)).toMatchObject([{ serial: 'SB-0001', address: '203.0.113.7' }])
})

it('a trusted peer may leave the header out, or speak for itself', async () => {
  const { url, device, said } = await world('127.0.0.1')
  for (const header of [Buffer.alloc(0), proxyHeader('2000 0000')]) {
    const raw = await openRaw(url)
    raw.write(header)
    raw.send(connectPacket(device, sidOf(1)))
    expect(await raw.next('connack')).toMatchObject({ returnCode: 0 })
  }
  expect(said('device connected')).toMatchObject([{ address: '127.0.0.1' }, { address: '127.0.0.1' }])
})

it('the limit of connections counts the clients of a proxy, not the proxy', async () => {
  const { url, refused } = await world('127.0.0.1')
  const flood = async (header: Buffer) => {
    const raws = await Promise.all(Array.from({ length: 12 }, () => openRaw(url)))
    for (const raw of raws) raw.write(header)
    return raws
  }
  const loud = await flood(FROM_TCP4)
  await until('the end of what was too much', () => loud.filter(({ closed }) => closed).length >= 1)
  expect(new Set(refused)).toEqual(new Set(['too_often']))
  const others = await openRaw(url)
  others.write(proxyHeader('2111 000c c6336409 c0000201 dc04 075b'))
  others.write(Buffer.from([0xf0, 0x00]))
  await others.untilClosed()
  // It was let in, and then closed for what it said.
  expect(refused.at(-1)).toBe('no_connect')
})

it('nothing is believed from anybody else: a header is a broken packet', async () => {
  const { url, device, said, refused } = await world('10.0.0.0/8')
  const raw = await openRaw(url)
  raw.write(FROM_TCP4)
  raw.send(connectPacket(device, sidOf(1)))
  await raw.untilClosed()
  expect([raw.received, said('device connected'), refused]).toEqual([[], [], ['no_connect']])
  expect(said('connection closed without a CONNECT')).toMatchObject([{ address: '127.0.0.1' }])
})
